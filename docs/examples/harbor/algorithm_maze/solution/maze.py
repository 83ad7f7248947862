from collections import deque
g = open("/app/maze.txt").read().split()
ways, todo = {(0, 0): ""}, deque([(0, 0)])
while todo:
    y, x = todo.popleft()
    for c, a, b in (("D", y + 1, x), ("U", y - 1, x), ("R", y, x + 1), ("L", y, x - 1)):
        if 0 <= a < len(g) and 0 <= b < len(g[0]) and g[a][b] != "#" and (a, b) not in ways:
            ways[a, b] = ways[y, x] + c
            todo.append((a, b))
print(ways[len(g) - 1, len(g[0]) - 1], file=open("/app/path.txt", "w"))
