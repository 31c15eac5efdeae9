# Readers of PDF that are not ours, with which the tests of invoices compare.
# shellcheck shell=bash

pdf_readers() {
    [ -n "${ERP_PDF_PYTHON:-}" ] || python_tools pdf
    "${ERP_PDF_PYTHON:-$target/pdf-tools/bin/python}" -c "import pikepdf, pyhanko, lxml, fontTools"
}
