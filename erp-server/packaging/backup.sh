#!/bin/sh
# Makes a verified backup of the running server, copies it to another place, and removes old ones. What it is told
# comes from /etc/erp/backup.conf. Nothing old is removed unless everything before has worked.
set -eu
umask 077

url=${BACKUP_URL:-http://127.0.0.1:8080}
folder=${BACKUP_FOLDER:-/var/lib/erp-backup}
file=$folder/erp-$(date -u +%Y%m%dT%H%M%SZ).tar.gz

erp-server backup --server "$url" --login "${BACKUP_LOGIN:-backup}" \
    --user-password-file "${BACKUP_PASSWORD_FILE:-/etc/erp/backup.password}" "$file"
if [ -n "${BACKUP_COPY:-}" ]; then
    sh -euc "$BACKUP_COPY" backup "$file"
fi
find "$folder" -maxdepth 1 -type f \( -name 'erp-*.tar.gz' -o -name 'erp-*.tar.gz.part' \) -mtime "+${BACKUP_DAYS:-14}" -delete
