import sys


def wrap(text, width):
    """Fills lines of at most width characters; a longer word has a line of its own."""
    lines, line = [], ""
    for word in text.split():
        if line and len(line) + len(word) > width:
            lines.append(line)
            line = word
        else:
            line = line + " " + word if line else word
    return lines


width = int(sys.stdin.readline())
for paragraph in sys.stdin.read().split("\n\n"):
    for line in wrap(paragraph, width):
        print(line)
    print()
