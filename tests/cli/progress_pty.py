# progress_pty.py COMMAND…: runs it on a terminal of its own. Prints each text of the line that is drawn over, once and with its
# time masked, then how wide the widest was, and the rows that the terminal shows at the end. SPDX-License-Identifier: MIT
import os
import pty
import re
import sys

ERASE = "\r\x1b[K"
pid, fd = pty.fork()
if pid == 0:
    os.execvp(sys.argv[1], sys.argv[1:])
data = b""
while True:
    try:
        block = os.read(fd, 4096)
    except OSError:  # the other end is closed
        break
    if not block:
        break
    data += block
status = os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])
text = data.decode("utf-8").replace("\r\n", "\n")
screen, drawn, widest = "", [], 0
for piece in re.split("(" + re.escape(ERASE) + ")", text):
    if piece == ERASE:
        screen = screen[: screen.rfind("\n") + 1]
        continue
    screen += piece
    if "\n" not in piece and piece:
        widest = max(widest, len(piece))
        piece = re.sub("[0-9:]+ (left|so far)$", "TIME", piece)
        if piece not in drawn:
            drawn.append(piece)
print("\n".join(drawn))
print(f"widest {widest}, status {status}" if os.environ.get("WIDEST") else f"status {status}")
left = re.findall(r"^\[\d+/\d+\].*|.*(?: left| so far)$|.*\x1b.*", screen, re.M)
print("left behind:", left)
print("rows:", re.findall(r"^(\w+)  .*right$", screen, re.M))
