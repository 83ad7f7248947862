import re
g = {}
for line in open('/app/access.log'):
    m = re.search(r'"GET (\S+) \S+" \d+ (\d+)ms', line)
    g.setdefault(m[1], []).append(int(m[2]))
with open('/app/slow.txt', 'w') as f:
    for p in sorted(g):
        v = sorted(g[p])
        print(p, v[-(-len(v) * 95 // 100) - 1], file=f)
