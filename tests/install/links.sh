#!/bin/sh
# links.sh BUILD CMAKE SOURCE: no link of a document leads nowhere: in the source tree, and in an installed one, which lies alone;
# neither to a file that is not there, nor to a heading. SPDX-License-Identifier: MIT
set -u
build=$1 cmake=$2 source=$3
here=$(cd "$(dirname "$0")" && pwd)
work=$(mktemp -d "${TMPDIR:-/tmp}/gradus-links.XXXXXX") || exit 2
trap 'rm -rf "$work"' EXIT
failed=0
complain() { echo "$*"; failed=1; }

# has_heading FILE NAME
has_heading() { awk -f "$here/links.awk" "$1" | grep -qxF "heading $2"; }

# check ROOT NAME: every page below ROOT; a link may not leave it. Leaves in $work/checked how many links there were.
check() {
    root=$1
    : >"$work/checked"
    find "$root" \( -name 'build*' -o -name .git -o -name shared \) -prune -o -name '*.md' -print | while read -r page; do
        awk -f "$here/links.awk" "$page" | sed -n 's/^link //p' | while read -r target; do
            case $target in *:*) continue ;; esac
            echo "$target" >>"$work/checked"
            file=${target%%#*} heading=${target#"${target%%#*}"}
            if [ -z "$file" ]; then
                file=$page
            else
                file=$(dirname "$page")/$file
            fi
            real=$(realpath -m "$file")
            if [ ! -e "$real" ] || [ "${real#"$root"/}" = "$real" ]; then
                echo "$2: ${page#"$root"/} links to $target, which is not there"
            elif [ -n "$heading" ] && ! has_heading "$real" "${heading#\#}"; then
                echo "$2: ${page#"$root"/} links to $target: no such heading"
            fi
        done
    done
}

"$cmake" --install "$build" --prefix "$work/root" >"$work/log" 2>&1 || { cat "$work/log"; exit 1; }
for tree in "$(realpath "$source")" "$(realpath "$work/root")"; do
    name=$([ "$tree" = "$(realpath "$source")" ] && echo source || echo installed)
    found=$(check "$tree" "$name")
    [ -z "$found" ] || complain "$found"
    [ "$(wc -l <"$work/checked")" -ge 20 ] || complain "$name: only $(wc -l <"$work/checked") links were found"
done

# Can this test fail?
mkdir "$work/planted"
printf '# One thing: `it`\n[a](#one-thing-it) [b](gone.md) [c](#other) [d](https://example.com) `[e](code.md)`\n' >"$work/planted/page.md"
[ "$(check "$work/planted" planted | wc -l)" -eq 2 ] || complain "planted links: $(check "$work/planted" planted)"
exit $failed
