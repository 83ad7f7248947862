import sys


def merge(spans):
    """Joins spans that overlap or touch."""
    out = []
    for a, b in sorted(spans):
        if out and a <= out[-1][1]:
            out[-1][1] = max(out[-1][1], b)
        else:
            out.append([a, b])
    return out


spans = [list(map(int, line.split())) for line in sys.stdin if line.strip()]
for a, b in merge(spans):
    print(a, b)
