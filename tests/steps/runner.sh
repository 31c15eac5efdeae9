# Steps of tests/run: each is timed, its output is shown when it ends, and the others run even when it fails.
# shellcheck shell=bash

work=$(mktemp -d)
readonly work begun=$SECONDS
trap 'jobs -p | xargs -r kill 2>/dev/null || true; rm -rf "$work"' EXIT
: >"$work/steps"
: >"$work/notes"

# Steps end at the same time, so everything is one write under a lock.
shown() { flock "$work/steps" cat; }

# record STATE SECONDS CPU PASSED FAILED NAME: the numbers of tests are `-` where nothing counts them.
record() { printf '%s\t%s\t%s\t%s\t%s\t%s\n' "$@" >>"$work/steps"; }

# How long a step takes is not limited, since machines are slow. One that hangs prints nothing for this long, and its processes
# do next to nothing meanwhile.
readonly longest_silence=600 least_work=2000

# work_of PROCESS: processor time in hundredths of a second: its own, that of processes that it started and that have ended, and
# that of those below it.
work_of() {
    local child
    sed 's/.*) //' "/proc/$1/stat" 2>/dev/null | cut -d ' ' -f 12-15 | tr ' ' '\n'
    for child in $(pgrep -P "$1"); do
        work_of "$child"
    done
}

# hangs LOG PROCESS: waits until it does.
hangs() {
    local now used changed="" known=0 active=$EPOCHSECONDS
    while true; do
        sleep 10 || exit # it is killed when the step has ended
        now=$(stat -c %Y "$1")
        used=$(work_of "$2" | awk '{ sum += $1 } END { print sum + 0 }')
        if [ "$now" != "$changed" ] || [ "$used" -lt "$known" ] || [ "$used" -ge $((known + least_work)) ]; then
            changed=$now known=$used active=$EPOCHSECONDS
        fi
        [ $((EPOCHSECONDS - active)) -lt $longest_silence ] || return 0
    done
}

end_with_children() {
    local child
    for child in $(pgrep -P "$1"); do
        end_with_children "$child"
    done
    kill -KILL "$1" 2>/dev/null || true
}

# apart LOG COMMAND...: writes into the log, and ends the command when that stays as it is.
apart() (
    log=$1
    shift
    "$@" >"$log" 2>&1 </dev/null &
    check=$!
    (
        hangs "$log" "$check"
        echo "it printed and did nothing for $longest_silence seconds and was ended" >>"$log"
        end_with_children "$check"
    ) &
    limit=$!
    status=0
    wait "$check" || status=$?
    end_with_children "$limit"
    exit "$status"
)

# Sums what the runners of Rust and node say: passed and failed tests.
count_tests() {
    awk '/^test result: / { passed += $4; failed += $6; found = 1 }
        /^(#|ℹ) pass / { passed += $3; found = 1 }
        /^(#|ℹ) fail / { failed += $3 }
        END { print found ? passed + 0 "\t" failed + 0 : "-\t-" }' "$1"
}

# step NAME COMMAND...: runs one check.
step() {
    local name=$1 state=passed took wall cpu log reason passed failed
    shift
    log=$(mktemp -p "$work")
    reason=$log.reason
    shown <<<"-- $name"
    took=$({ TIMEFORMAT='%R %U %S'; time apart "$log" "$@" || echo failed; } 2>&1)
    if [ -e "$reason" ]; then
        skip "$name" "$(<"$reason")"
        return 1
    fi
    case $took in *failed) state=failed ;; esac
    read -r wall cpu < <(awk 'NF == 3 { printf "%.0f %.0f\n", $1, $2 + $3 }' <<<"$took")
    IFS=$'\t' read -r passed failed < <(count_tests "$log")
    record "$state" "$wall" "$cpu" "$passed" "$failed" "$name"
    { printf '\n== %s: %s in %s s\n' "$name" "$state" "$wall" && cat "$log"; } | shown
    rm -f "$log"
    [ "$state" = passed ]
}

# passed NAME: whether this step has passed.
passed() { grep -q "^passed.*	$1\$" "$work/steps"; }

# cannot REASON: ends a step that cannot run here.
cannot() {
    printf '%s\n' "$1" >"$reason"
    exit 1
}

# skip NAME REASON: a check that is not run here.
skip() {
    local state=skipped
    [ "${CI:-}" != true ] || state=failed
    record "$state" 0 0 - - "$1: $2"
    shown <<<"== $1: could not run, $2"
}

note() { printf '%s\n' "$1" >>"$work/notes"; }

stop() {
    echo "tests/run: $1" >&2
    exit 1
}

# in_turn FUNCTION...: as many at the same time as there are cores, begun in this order.
in_turn() {
    local function
    for function in "$@"; do
        while [ "$(jobs -rp | wc -l)" -ge "$(nproc)" ]; do
            wait -n
        done
        "$function" &
    done
    wait
}

# The table of all steps, the slowest first, then the sums.
summary() {
    local failed
    printf '\n%-8s %7s %7s %6s  %s\n' state seconds "CPU s" tests step
    sort -t "$(printf '\t')" -k 2,2 -rn "$work/steps" |
        awk -F '\t' '{ printf "%-8s %7d %7d %6s  %s\n", $1, $2, $3, $4, $6 }'
    sed 's/^/note     /' "$work/notes"
    awk -F '\t' -v seconds="$((SECONDS - begun))" '{ cpu += $3; passed += $4; failed += $5; skipped += $1 == "skipped" }
        $1 == "failed" && $5 + 0 == 0 { failed++ }
        END {
            printf "%d seconds, %d CPU seconds, %d steps\n", seconds, cpu, NR
            printf "%d passed, %d failed, %d skipped\n", passed, failed, skipped
        }' "$work/steps"
    failed=$(grep -c '^failed' "$work/steps")
    [ "$failed" = 0 ]
}
