import sys


def find(values, x):
    """The index of the first value that is x, or -1; values are sorted."""
    low, high = 0, len(values)
    while low < high:
        mid = (low + high) // 2
        if values[mid] < x:
            low = mid + 1
        else:
            high = mid
    return low if low < len(values) and values[low] == x else -1


values, xs = (list(map(int, line.split())) for line in sys.stdin.read().split("\n")[:2])
print(*(find(values, x) for x in xs))
