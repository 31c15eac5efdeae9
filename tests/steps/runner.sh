# Steps of tests/run: each is timed, its output is shown when it ends, and the others run even when it fails.
# shellcheck shell=bash

work=$(mktemp -d)
readonly work begun=$SECONDS
trap 'jobs -p | xargs -r kill 2>/dev/null || true; rm -rf "$work"' EXIT
: >"$work/steps"
: >"$work/notes"

# Lanes write at the same time, so everything is one write under a lock.
shown() { flock "$work/steps" cat; }

# record STATE SECONDS CPU NAME
record() { printf '%s\t%s\t%s\t%s\n' "$@" >>"$work/steps"; }

# A check that hangs must not hold up the run until it is stopped from outside without a word.
readonly longest_step=2700

end_with_children() {
    local child
    for child in $(pgrep -P "$1"); do
        end_with_children "$child"
    done
    kill -KILL "$1" 2>/dev/null || true
}

apart() (
    "$@" &
    check=$!
    (sleep "$longest_step" && echo "the check did not end within $longest_step s" && end_with_children "$check") &
    limit=$!
    status=0
    wait "$check" || status=$?
    end_with_children "$limit"
    exit "$status"
)

# step NAME COMMAND...: runs one check.
step() {
    local name=$1 state=passed took wall cpu log reason
    shift
    log=$(mktemp -p "$work")
    reason=$log.reason
    shown <<<"-- $name"
    took=$({ TIMEFORMAT='%R %U %S'; time apart "$@" >"$log" 2>&1 </dev/null || echo failed; } 2>&1)
    if [ -e "$reason" ]; then
        skip "$name" "$(<"$reason")"
        return 1
    fi
    case $took in *failed) state=failed ;; esac
    read -r wall cpu < <(awk 'NR == 1 { printf "%.0f %.0f\n", $1, $2 + $3 }' <<<"$took")
    record "$state" "$wall" "$cpu" "$name"
    { printf '\n== %s: %s in %s s\n' "$name" "$state" "$wall" && cat "$log"; } | shown
    rm -f "$log"
    [ "$state" = passed ]
}

# cannot REASON: ends a step that cannot run here.
cannot() {
    printf '%s\n' "$1" >"$reason"
    exit 1
}

# skip NAME REASON: a check that is not run here.
skip() {
    if [ "${CI:-}" = true ]; then
        record failed 0 0 "$1: could not run, $2"
    else
        record skipped 0 0 "$1: $2"
    fi
    shown <<<"== $1: skipped, $2"
}

note() { printf '%s\n' "$1" >>"$work/notes"; }

stop() {
    echo "tests/run: $1" >&2
    exit 1
}

# reach POINT, fail_to_reach POINT, wait_for POINT: synchronise two lanes.
reach() { : >"$work/at-$1"; }
fail_to_reach() { : >"$work/not-$1"; }
wait_for() {
    until [ -e "$work/at-$1" ]; do
        [ ! -e "$work/not-$1" ] || return 1
        sleep 0.2
    done
}

# lanes FUNCTION...: runs them at the same time.
lanes() {
    local lane pids=()
    for lane in "$@"; do
        ( "$lane" ) &
        pids+=($!)
    done
    wait "${pids[@]}"
}

# The table of all steps, the slowest first, and whether everything passed.
summary() {
    local state name failed=0
    printf '\n== Time: seconds, CPU seconds, step\n'
    sort -t "$(printf '\t')" -k 2,2 -rn "$work/steps" | awk -F '\t' '$1 != "skipped" { printf "%6d %6d  %s\n", $2, $3, $4; cpu += $3 }
        END { printf "%13d  CPU seconds of all steps\n", cpu }'
    printf '%6d         seconds in all\n' "$((SECONDS - begun))"
    printf '\n== Summary\n'
    while IFS=$'\t' read -r state _ _ name; do
        case $state in
        failed) failed=$((failed + 1)) && echo "FAILED   $name" ;;
        *) printf '%-8s %s\n' "$state" "$name" ;;
        esac
    done < <(sort -s -k 1,1r "$work/steps")
    sed 's/^/skipped  /' "$work/notes"
    if [ "$failed" -gt 0 ]; then
        echo "$failed of the checks failed"
        exit 1
    fi
    echo "everything that ran passed"
}
