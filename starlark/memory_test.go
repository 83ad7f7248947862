package starlark_test

import (
	"runtime"
	"testing"

	"github.com/quintain-rl/quintain/starlark"
)

// All that a program allocates is bounded by its steps, even if it kept everything.
func TestMemoryIsBoundedBySteps(t *testing.T) {
	const steps, perStep = 100_000, 300
	for _, program := range []string{
		"l = []\n  for i in range(99999):\n    l.append([i])",
		"l = []\n  for i in range(99999):\n    l = l + [i]",
		"l = []\n  for i in range(99999):\n    l.insert(0, {})",
		"d = {}\n  for i in range(99999):\n    d[i] = str(i)",
		"d = {}\n  for i in range(99999):\n    d[(i, str(i))] = {i: i}",
		"d = {}\n  for i in range(99999):\n    d.update(d)\n    d[i] = d.pop(i - 1, i)",
		"s = ''\n  l = []\n  for i in range(99999):\n    s += 'abcdefgh'\n    l.append(s)",
		"s = 'a b ' * 3000\n  l = []\n  for i in range(99999):\n    l.append(s.split(' '))",
		"s = 'a b ' * 3000\n  l = []\n  for i in range(99999):\n    l.append(s.replace('a', 'bb').upper() + s[::-1])",
		"x = 1\n  l = []\n  for i in range(1023):\n    x = x * 2\n  for i in range(99999):\n    l.append(x + i)\n    l.append(str(x))",
		"l = [[x, y] for x in range(1000) for y in range(1000)]",
		"l = []\n  for i in range(99999):\n    l.append(list(zip(range(100), range(100), range(100))))",
		"l = []\n  for i in range(99999):\n    l.append(sorted(range(500), key=lambda x: [x, -x]))",
		"l = []\n  for i in range(99999):\n    l.append([dict(a=i, b=i), (i, i), lambda: i])",
		"l = []\n  for i in range(99999):\n    l.append(list(enumerate(range(1000)))[1:])",
		"l = []\n  for i in range(99999):\n    l.append(max([j for j in range(50)]) + min(list(range(99)) + [1]))",
		"l = []\n  for i in range(99999):\n    l.append(list({j: j for j in range(20)}.items()))",
		"l = []\n  for i in range(99999):\n    l.append([0] * 1000)\n    l[-1] += l[-1][:]",
		"s = ','.join(['ab'] * 1000)\n  l = []\n  for i in range(99999):\n    l.append(s.partition(','))\n    l.append(s.title().strip('A').splitlines())",
	} {
		p, err := starlark.Compile("def main():\n  " + program)
		if err != nil {
			t.Fatal(err)
		}
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		_, err = p.Call("main", nil, starlark.Limits{Steps: steps, Bytes: 1 << 14})
		runtime.ReadMemStats(&after)
		if spent := after.TotalAlloc - before.TotalAlloc; spent > perStep*steps {
			t.Errorf("%q allocates %d bytes in %d steps, error %v", program, spent, steps, err)
		}
	}
}
