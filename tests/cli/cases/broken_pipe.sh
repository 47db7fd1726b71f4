# A reader that leaves early is no reason for a message.
gradus help | head -n 1
(trap '' PIPE; gradus help) | head -n 1
