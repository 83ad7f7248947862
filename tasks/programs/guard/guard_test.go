package guard

import (
	"runtime"
	"slices"
	"strings"
	"testing"

	"go.starlark.net/starlark"

	"github.com/quintain-rl/quintain/text/pyvalue"
)

// call runs main of a program, and returns the result as JSON.
func call(source, args string) (string, error) {
	p, err := Compile(source)
	if err != nil {
		return "", err
	}
	return run(p, args)
}

// exactly is call as for arguments that are not plain.
func exactly(source, args string) (string, error) {
	all, err := globals(source, false)
	if err != nil {
		return "", located(err)
	}
	return run(&Program{plain: all, exact: func() (starlark.StringDict, error) { return all, nil }}, args)
}

func run(p *Program, args string) (string, error) {
	list, err := pyvalue.ParseJSON([]byte(args))
	if err != nil {
		return "", err
	}
	v, err := p.Call("main", list.(*pyvalue.List).Items)
	if err != nil {
		return "", err
	}
	return (&pyvalue.Runtime{Steps: 1 << 20, Bytes: 1 << 20}).JSON(v, pyvalue.Args{})
}

func TestExpressions(t *testing.T) {
	for _, test := range []struct{ expression, want string }{
		{"1 + 2 * 3 - 4", "3"},
		{"(1 + 2) * -3", "-9"},
		{"-7 // 2", "-4"},
		{"-7 % 3", "2"},
		{"7 % -3", "-2"},
		{"2147483647 * 2147483647 * 4", "18446744056529682436"},
		{"'ab' * 2 + \"c\\n\\\"\"", `"ababc\n\""`},
		{"[1, 2] + [3] * 2", "[1, 2, 3, 3]"},
		{"(1, 2) + (3,)", "[1, 2, 3]"},
		{"not 0 and [] or 'x'", `"x"`},
		{"1 if None else 2 if '' else 3", "3"},
		{"2 in [1, 2] and 'b' not in 'abc'", "false"},
		{"[1, 'a', None] == [1, 'a', None]", "true"},
		{"(1, 2) < (1, 3)", "true"},
		{"'abcdef'[1:-1:2]", `"bd"`},
		{"[1, 2, 3][::-1]", "[3, 2, 1]"},
		{"'abc'[-1] + 'abc'[0]", `"ca"`},
		{"{'a': 1, 'b': 2}['b']", "2"},
		{"[x * y for x in range(3) for y in range(x) if x != y]", "[0, 0, 2]"},
		{"{str(k): v for k, v in [(1, 2), (3, 4)]}", `{"1": 2, "3": 4}`},
		{"[[j for j in range(i)] for i in range(3)]", "[[], [0], [0, 1]]"},
		{"sorted(['bb', 'a', 'ccc'], key=lambda s: -len(s))", `["ccc", "bb", "a"]`},
		{"sorted([3, 1, 2], reverse=True)", "[3, 2, 1]"},
		{"[max(1, 5, 3), min([4, 2]), max(['a', 'bb'], key=len), abs(-3)]", `[5, 2, "bb", 3]`},
		{"list(zip([1, 2], 'ab'.split('b'), (3, 4, 5)))", `[[1, "a", 3], [2, "", 4]]`},
		{"list(enumerate(['x'], 5))", `[[5, "x"]]`},
		{"list(reversed(range(1, 8, 3)))", "[7, 4, 1]"},
		{"[any([0, 1]), all([0, 1]), all([]), bool([0])]", "[true, false, true, true]"},
		{"[int('12'), int('ff', 16), int(True), str(12), str(None), str(True)]", `[12, 255, 1, "12", "None", "True"]`},
		{"[tuple([1]), list(), dict(a=1), dict({'b': 2}), len('añb')]", `[[1], [], {"a": 1}, {"b": 2}, 3]`},
		{"'a-b-c'.split('-', 1) + ['x'.join(['1', '2'])] + [' a '.strip().upper()]", `["a", "b-c", "1x2", "A"]`},
		{"[(lambda a, b: a - b)(5, 3), (lambda: 1)()]", "[2, 1]"},
		{"[\n  1,  # one\n  2,\n]", "[1, 2]"},
	} {
		for _, run := range []func(source, args string) (string, error){call, exactly} {
			if got, err := run("def main():\n    return "+test.expression+"\n", "[]"); err != nil || got != test.want {
				t.Errorf("%s is %s, error %v; want %s", test.expression, got, err, test.want)
			}
		}
	}
}

func TestPrograms(t *testing.T) {
	for _, test := range []struct{ why, program, args, want string }{
		{"loops", "def main(n):\n  total = 0\n  for i in range(n):\n    if i % 2: continue\n    if i > 7:\n      break\n    total += i\n  return total", "[20]", "12"},
		{"elif", "def main(n):\n  if n < 0:\n    return 'low'\n  elif n < 5:\n    return 'mid'\n  else:\n    return 'high'", "[3]", `"mid"`},
		{"no result", "def main():\n  pass", "[]", "null"},
		{"a return leaves all loops", "def main():\n  for i in [1, 2]:\n    for j in [3, 4]:\n      return [i, j]", "[]", "[1, 3]"},
		{"a break leaves one", "def main():\n  out = []\n  for i in [1, 2]:\n    for j in [3, 4]:\n      out.append([i, j])\n      break\n  return out", "[]", "[[1, 3], [2, 3]]"},
		{"unpacking", "def main(p):\n  a, (b, c) = p\n  a, b = b, a\n  return [a, b, c]", "[[1, [2, 3]]]", "[2, 1, 3]"},
		{"items", "def main(l):\n  l[0], l[-1] = l[-1], l[0]\n  l[1] *= 10\n  return l", "[[1, 2, 3]]", "[3, 20, 1]"},
		{"+= changes the list", "def main():\n  a = [1]\n  b = a\n  b += [2]\n  b = b + [3]\n  return [a, b]", "[]", "[[1, 2], [1, 2, 3]]"},
		{"lists", "def main(l):\n  l.append(4)\n  l.insert(0, 9)\n  l.extend(range(2))\n  l.remove(2)\n  x = l.pop()\n  y = l.pop(0)\n  return [l, x, y, l.index(4)]", "[[1, 2, 3]]", "[[1, 3, 4, 0], 1, 9, 2]"},
		{"dicts", "def main(d):\n  d['c'] = 3\n  x = d.pop('a')\n  d.setdefault('e', []).append(5)\n  d.update({'b': 7})\n  return [d, x, d.pop('z', 0), d.get('q'), list(d.keys()), [k + str(v) for k, v in d.items() if k != 'e']]",
			`[{"a": 1, "b": 2}]`, `[{"b": 7, "c": 3, "e": [5]}, 1, 0, null, ["b", "c", "e"], ["b7", "c3"]]`},
		{"a dict is read in its order", "def main(words):\n  d = {}\n  for w in words:\n    d[w] = d.get(w, 0) + 1\n  return d", `[["b", "a", "b"]]`, `{"b": 2, "a": 1}`},
		{"helpers, before and after", "LETTERS = 'abc'\ndef main(n):\n  return twice(n) + LETTERS.find('c')\n\ndef twice(n):\n  return 2 * n", "[4]", "10"},
		{"a function within one sees its names", "def main(n):\n  def add(x):\n    return x + n\n  n += 1\n  return [add(i) for i in range(2)]", "[5]", "[6, 7]"},
		{"a lambda sees the names around it", "def main(d):\n  return sorted(d.keys(), key=lambda k: d[k])", `[{"a": 3, "b": 1}]`, `["b", "a"]`},
		{"the names of a comprehension are its own", "def main(x):\n  y = [x for x in range(x)]\n  return [x, y]", "[2]", "[2, [0, 1]]"},
		{"arguments are copied", "def main(a):\n  a.append(a[0])\n  a[0].append(1)\n  return a", "[[[]]]", "[[1], [1]]"},
		{"comments and empty lines", "# first\n\ndef main():\n\n    # inside\n  \n    return 1  # last\n# end", "[]", "1"},
	} {
		for _, run := range []func(source, args string) (string, error){call, exactly} {
			if got, err := run(test.program, test.args); err != nil || got != test.want {
				t.Errorf("%s: %s, error %v; want %s", test.why, got, err, test.want)
			}
		}
	}
}

// Calls of one program do not see each other, nor what a caller does to its arguments.
func TestCallsAreApart(t *testing.T) {
	p, err := Compile("SEEN = [1]\ndef main(l):\n  l.append(len(SEEN))\n  return l\ndef change(l):\n  SEEN.append(l)")
	if err != nil {
		t.Fatal(err)
	}
	args := []pyvalue.Value{&pyvalue.List{}}
	for range 2 {
		if v, err := p.Call("main", args); err != nil || len(v.(*pyvalue.List).Items) != 1 {
			t.Errorf("got %v, error %v; want one item", v, err)
		}
	}
	if _, err := p.Call("change", args); err == nil || !strings.Contains(err.Error(), "line 6, column 15: cannot append to frozen list") {
		t.Errorf("a change of the top level gives the error %v", err)
	}
	if params, has := p.Params("main"); !has || !slices.Equal(params, []string{"l"}) {
		t.Errorf("main has the parameters %v", params)
	}
	if _, has := p.Params("SEEN"); has {
		t.Error("SEEN counts as a function")
	}
}

func TestErrors(t *testing.T) {
	for _, test := range []struct{ program, want string }{
		// refused by Compile
		{"def main():\n  return 1 +", "line 2, column 13: got newline, want primary expression"},
		{"def main():\n  return y", "line 2, column 10: undefined: y"},
		{"def main():\n  while True:\n    pass", "line 2, column 3: there is no such statement"},
		{"load('a', 'b')", "line 1, column 1: there is no such statement"},
		{"def main():\n  return 1.5", "line 2, column 10: want an integer"},
		{"def main():\n  return 7 / 2", "line 2, column 10: there is no operator /"},
		{"def main():\n  return 1 << 9", "line 2, column 10: there is no operator <<"},
		{"def main(x):\n  x |= {}", "line 2, column 3: there is no operator |="},
		{"def main():\n  return ~1", "line 2, column 10: there is no operator ~"},
		{"def main(a):\n  return main(*a)", "line 2, column 15: there is no operator *"},
		{"def main():\n  return 1" + strings.Repeat("0", 400), "line 2, column 10: want an integer of at most 1,024 bits"},
		{"def main(a=1):\n  pass", "line 1, column 10: want a parameter without a default"},
		{"def main():\n  range = len", "line 2, column 3: range is a function"},
		{"def main():\n  return [2].sort()", "line 2, column 10: there is no method sort"},
		{"def main():\n  return [2].append", "line 2, column 10: there is no such expression"},
		{"def main():\n  return " + strings.Repeat("(", 200), "excessive nesting"},
		{strings.Repeat("#", 1<<14+1), "the program has 16385 bytes"},
		// failures of a call
		{"x = 1", "there is no function main"},
		{"def main():\n  return hash('a')", "line 2, column 14: there is no function hash here"},
		{"def main():\n  return [1][1]", "line 2, column 1"},
		{"def main():\n  return {}['a']", "line 2, column 1"},
		{"def main():\n  return 'ab'[2]", "line 2, column 1"},
		{"def main():\n  return 1 // 0", "line 2, column 12: floored division by zero"},
		{"def main():\n  return 1 + 'a'", "line 2, column 12: unknown binary op: int + string"},
		{"def main():\n  return True + 1", "line 2, column 15: unknown binary op: bool + int"},
		{"def main():\n  return '%d' % 1", "line 2, column 15: % is not for a string and a int"},
		{"def main():\n  return str([1])", "line 2, column 13: str is for texts"},
		{"def main():\n  return [c for c in 'abc']", "line 2, column 13: string value is not iterable"},
		{"def main():\n  return list('abc')", "line 2, column 14: list: for parameter 1"},
		{"def main():\n  return 'x'.join('abc')", "a text cannot be looped over"},
		{"def main():\n  a, b = [1]", "line 2, column 8: too few values to unpack"},
		{"def main():\n  if 0:\n    x = 1\n  return x", "line 4, column 10: local variable x referenced before assignment"},
		{"def main():\n  return main()", "function main called recursively"},
		{"def main():\n  return len(1, 2)", "line 2, column 13: the function has 2 arguments, want 1"},
		{"def main():\n  l = [1]\n  for x in l:\n    l.append(x)", "line 4, column 14: cannot append to list during iteration"},
		{"def main():\n  d = {'a': 1}\n  for x in d:\n    d['b'] = 1", "line 4, column 6: cannot insert into hash table during iteration"},
		{"def main():\n  return (1, 2).append(3)", "a tuple has no method append"},
		{"def main():\n  x = (1, 2)\n  x[0] = 1", "line 3, column 4: tuple value does not support item assignment"},
		{"def main():\n  return {[1]: 2}", "unhashable"},
		{"def main():\n  return max([])", "line 2, column 13: there is nothing to choose from"},
		{"def main():\n  return int('x')", "line 2, column 13: the string is no whole number"},
	} {
		if got, err := call(test.program, "[]"); err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%.60q: %s, error %v; want %q", test.program, got, err, test.want)
		}
	}
}

func TestArguments(t *testing.T) {
	for _, test := range []struct{ program, args, want string }{
		{"x", "[1.5]", "an argument is a 'float'"},
		{"x", "[[1.0]]", "an argument is a 'float'"},
		{"x", "[]", "function main missing 1 argument (x)"},
		{"x", "[" + strings.Repeat("[", 150) + strings.Repeat("]", 150) + "]", "values stand within each other more than 100 deep"},
		{"x", "[1" + strings.Repeat("0", 400) + "]", "more than 1024 bits"},
		{"x", `["` + strings.Repeat("a", 1<<15) + `"]`, "a text has more than"},
		{"x == 1", "[true]", "a bool and a number are compared"},
		{"{x: 1}", "[true]", "a key is a bool"},
		{"x % 2", `["%d"]`, "% is not for a string and a int"},
	} {
		if got, err := call("def main(x):\n  return "+test.program, test.args); err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%.60s: %s, error %v; want %q", test.args, got, err, test.want)
		}
	}
}

// Arguments that Starlark and Python treat in different ways give what Python gives.
func TestOddArguments(t *testing.T) {
	for _, test := range []struct{ expression, arg, want string }{
		{"len(x)", `"añ日"`, "3"},
		{"x[1] + x[-1] + x[::-1]", `"añ日"`, `"ñ日日ña"`},
		{"[x.find('b'), x.upper(), x.split('é')]", `"éßb"`, `[2, "ÉSSB", ["", "ßb"]]`},
		{"int(x)", `" 1_0 "`, "10"},
		{"[1] == x", "[true]", "true"},
		{"1 in x", "[2, true]", "true"},
		{"[x + '%', x == '50']", `"50%"`, `["50%%", false]`},
		{"[i for i in range(x)]", "true", "[0]"},
	} {
		if got, err := call("def main(x):\n  return "+test.expression, "["+test.arg+"]"); err != nil || got != test.want {
			t.Errorf("%s of %s is %s, error %v; want %s", test.expression, test.arg, got, err, test.want)
		}
	}
}

// Each of these takes gigabytes or hours in Starlark itself.
func TestHostileCallsEnd(t *testing.T) {
	const most = 16 << 20 // bytes that a call allocates
	for _, test := range []struct{ arg, body string }{
		{"1000000000", "return 'a' * x"},
		{"1000000000", "return x * [0]"},
		{"1000000000", "return (0,) * x"},
		{"1000000000", "return list(range(x))"},
		{"1000000000", "return [[i] for i in range(x)]"},
		{"1000000000", "return sorted(range(x), reverse=True)"},
		{"1000000000", "return x in range(x)"},
		{"9", "for i in range(99):\n    x = x * x\n  return x"},
		{"9", "for i in range(99):\n    x *= x\n  return x"},
		{"9", "l = [9]\n  for i in range(99):\n    l[0] *= l[0]\n  return l"},
		{`"a"`, "for i in range(99):\n    x += x\n  return x"},
		{`"a"`, "for i in range(99):\n    x = x + x\n  return x"},
		{`"a"`, "for i in range(99):\n    x = x.replace('', x)\n  return x"},
		{`"a"`, "for i in range(99):\n    x = x.join([x, x])\n  return x"},
		{"[1]", "for i in range(99):\n    x += x\n  return x"},
		{"[1]", "for i in range(99):\n    x = x + x\n  return x"},
		{"[1]", "for i in range(99):\n    x.extend(x)\n  return x"},
		{"[[1]]", "for i in range(99):\n    x[0] += x[0]\n  return x"},
		{"[1]", "for i in range(99):\n    x = [x, x]\n  return x"},
		{"[1]", "for i in range(99):\n    x = [x, x]\n  return x in [x]"},
		{"[1]", "for i in range(99):\n    x = (x, x)\n  return sorted([x, x])"},
		{"[1]", "x.append(x)\n  return x"},
		{"[1]", "y = [1]\n  for i in range(9):\n    x = [x] * 1000\n    y = [y] * 1000\n  return x == y"},
		{"[1]", "x = 1\n  for i in range(99):\n    x = (x, x)\n  return {x: 1}"},
		{"[1]", "x = 1\n  d = {1: 1}\n  for i in range(99):\n    x = (x, x)\n  return d[x]"},
		{"[1]", "x = 1\n  d = {1: 1}\n  for i in range(99):\n    x = (x, x)\n  d[x] = 1"},
		{"[1]", "x = 1\n  d = {1: 1}\n  for i in range(99):\n    x = (x, x)\n  d[x] += 1"},
		{"[1]", "x = 1\n  d = {1: 1}\n  for i in range(99):\n    x = (x, x)\n  return d.get(x)"},
		{"[1]", "x *= 1000\n  for i in range(99999):\n    y = x[1:] + [i]\n    x = y[::-1][1:]\n  return x"},
		{"[1]", "x *= 1000\n  return [sorted(x) for i in range(99999)]"},
		{"[1]", "x *= 1000\n  return [list(zip(x, x, x)) for i in range(99999)]"},
		{"[1]", "x *= 1000\n  return [list(enumerate(x)) for i in range(99999)]"},
		{"[1]", "x *= 1000\n  return [2 in x for i in range(99999)]"},
		{"{}", "for i in range(99999):\n    x[str(i)] = list(x.items())\n  return x"},
		{`"a b "`, "x *= 3000\n  return [x.split(' ') for i in range(99999)]"},
		{`"a b "`, "x *= 3000\n  return [x.upper() for i in range(99999)]"},
	} {
		program := "def main(x):\n  " + test.body
		for _, run := range []func(source, args string) (string, error){call, exactly} {
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			got, err := run(program, "["+test.arg+"]")
			runtime.ReadMemStats(&after)
			if err == nil {
				t.Errorf("%q gives %.50s", test.body, got)
			}
			if n := after.TotalAlloc - before.TotalAlloc; n > most {
				t.Errorf("%q allocates %d bytes, want at most %d, error %v", test.body, n, most, err)
			}
		}
	}
}

// FuzzCall: no program panics.
func FuzzCall(f *testing.F) {
	f.Add("def main(a, b):\n  return a + b", `[1, 2]`)
	f.Add("X = [1]\ndef f(x):\n  return [i for i in x if i]\ndef main(l):\n  for a, b in zip(l, f(l)):\n    l = l + [a * b]\n  return {str(k): l for k in l}", `[[1, 2]]`)
	f.Add("def main(s):\n  d = dict(a=s)\n  d.pop('a')\n  return sorted(s.split(), key=lambda w: -len(w))[::2] or not s[0] in 'x'", `["a b"]`)
	f.Add("def main(x):\n  a = [x]\n  a.append(a)\n  return a == a", `[{"k": null}]`)
	f.Fuzz(func(t *testing.T, program, args string) {
		p, err := Compile(program)
		if err != nil {
			return
		}
		v, err := pyvalue.ParseJSON([]byte(args))
		list, is := v.(*pyvalue.List)
		if err != nil || !is {
			return
		}
		_, _ = p.Call("main", list.Items) // only that it returns
	})
}
