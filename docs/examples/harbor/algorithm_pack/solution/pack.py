items = [tuple(map(int, line.split())) for line in open("/app/items.txt")]
best = {0: (0, [])}
for i, (w, v) in enumerate(items, 1):
    for weight, (value, chosen) in list(best.items()):
        if weight + w <= 300 and best.get(weight + w, (-1,))[0] < value + v:
            best[weight + w] = value + v, chosen + [i]
print(*max(best.values())[1], sep="\n", file=open("/app/chosen.txt", "w"))
