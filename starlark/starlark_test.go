package starlark_test

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/quintain-rl/quintain/starlark"
	"github.com/quintain-rl/quintain/text/pyvalue"
)

var limits = starlark.Limits{Steps: 20_000, Bytes: 1 << 14}

// call runs main of a program, and returns the result as JSON.
func call(source, args string) (string, error) {
	p, err := starlark.Compile(source)
	if err != nil {
		return "", err
	}
	list, err := pyvalue.ParseJSON([]byte(args))
	if err != nil {
		return "", err
	}
	v, err := p.Call("main", list.(*pyvalue.List).Items, limits)
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
		{"[tuple([1]), list(), dict(a=1), dict([('b', 2)]), len('añb')]", `[[1], [], {"a": 1}, {"b": 2}, 3]`},
		{"'a-b-c'.split('-', 1) + ['x'.join(['1', '2'])] + [' a '.strip().upper()]", `["a", "b-c", "1x2", "A"]`},
		{"[(lambda a, b: a - b)(5, 3), (lambda: 1)()]", "[2, 1]"},
		{"[\n  1,  # one\n  2,\n]", "[1, 2]"},
	} {
		if got, err := call("def main():\n    return "+test.expression+"\n", "[]"); err != nil || got != test.want {
			t.Errorf("%s is %s, error %v; want %s", test.expression, got, err, test.want)
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
		{"the top level is run anew", "SEEN = []\ndef main():\n  SEEN.append(1)\n  return SEEN", "[]", "[1]"},
		{"zip is read once, as in Python", "def main():\n  z = zip([1], [2])\n  return [list(z), list(z)]", "[]", "[[[1, 2]], []]"},
		{"comments and empty lines", "# first\n\ndef main():\n\n    # inside\n  \n    return 1  # last\n# end", "[]", "1"},
	} {
		if got, err := call(test.program, test.args); err != nil || got != test.want {
			t.Errorf("%s: %s, error %v; want %s", test.why, got, err, test.want)
		}
	}
}

// Two calls of one program do not see each other.
func TestCallsAreApart(t *testing.T) {
	p, err := starlark.Compile("SEEN = []\ndef main(n):\n  SEEN.append(n)\n  return len(SEEN)")
	if err != nil {
		t.Fatal(err)
	}
	for range 2 {
		if v, err := p.Call("main", []pyvalue.Value{int64(1)}, limits); v != int64(1) || err != nil {
			t.Errorf("got %v, error %v; want 1", v, err)
		}
	}
	if params, has := p.Params("main"); !has || !slices.Equal(params, []string{"n"}) {
		t.Errorf("main has the parameters %v", params)
	}
	if _, has := p.Params("SEEN"); has {
		t.Error("SEEN counts as a function")
	}
}

func TestErrors(t *testing.T) {
	for _, test := range []struct{ program, want string }{
		// what cannot be read
		{"def main():\n  return 1 +", "line 2, column 13: unexpected the end of the line, want an expression"},
		{"def main():\n  x = 1\n   y = 2", "line 3, column 4: unexpected an indent"},
		{"def main():\n    x = 1\n  y = 2", "line 3, column 3: the indent is that of no line before"},
		{"def main():\n\treturn 1", "line 2, column 1: unexpected character"},
		{"def main():\n  return y", "line 2, column 10: the name y is not defined"},
		{"def main():\n  while True:\n    pass", "line 2, column 3: unexpected 'while'"},
		{"def main():\n  return 1 < 2 < 3", "line 2, column 16: unexpected '<': only two values"},
		{"def main():\n  return 1.5", "line 2, column 10: want a whole number"},
		{"def main():\n  return 7 / 2", "line 2, column 12: unexpected character '/'"},
		{"def main():\n  return 'a", "line 2, column 10: the text is not closed"},
		{"def main():\n  '''a'''", "line 2, column 3: texts of several lines"},
		{"def main():\n  return '\\x41'", "line 2, column 10: the text has an escape"},
		{"def main():\n  1 = 2", "line 2, column 3: this cannot be assigned to"},
		{"def main():\n  break", "line 2, column 3: unexpected 'break' outside of a loop"},
		{"return 1", "line 1, column 1: unexpected 'return' outside of a function"},
		{"for x in []:\n  pass", "line 1, column 1: unexpected 'for' outside"},
		{"def main(a, a):\n  pass", "line 1, column 13: there are two parameters a"},
		{"def main(a=1):\n  pass", "line 1, column 11: unexpected '=', want ')'"},
		{"class A:\n  pass", "line 1, column 1: unexpected 'class'"},
		{"def main():\n  return " + strings.Repeat("(", 200), "nested more than 100 deep"},
		{"def main():\n  return " + strings.Repeat("-", 200) + "1", "nested more than 100 deep"},
		{strings.Repeat("#", 1<<16+1), "the program has 65537 bytes"},
		// what goes wrong
		{"x = 1", "there is no function main"},
		{"def main():\n  return [1][1]", "line 2, column 14: index 1 is out of range"},
		{"def main():\n  return {}['a']", "line 2, column 13: the dict does not have the key"},
		{"def main():\n  return 'ab'[2]", "line 2, column 15: the str does not have the index"},
		{"def main():\n  return 1 // 0", "line 2, column 12: division by zero"},
		{"def main():\n  return 1 + 'a'", "line 2, column 12: unsupported"},
		{"def main():\n  return True + 1", "line 2, column 15: + is not for a bool and a int"},
		{"def main():\n  return True == 1", "line 2, column 15: a bool and a number are compared"},
		{"def main():\n  return '%d' % 1", "line 2, column 15: % is not for a str"},
		{"def main():\n  return str([1])", "line 2, column 13: str is for texts"},
		{"def main():\n  return [c for c in 'abc']", "line 2, column 13: a text cannot be looped over"},
		{"def main():\n  return list('abc')", "line 2, column 14: a text cannot be looped over"},
		{"def main():\n  return 'x'.join('abc')", "a text cannot be looped over"},
		{"def main():\n  a, b = [1]", "line 2, column 3: there are 1 values for 2 names"},
		{"def main():\n  if 0:\n    x = 1\n  return x", "line 4, column 10: x has no value yet"},
		{"def main():\n  return main()", "line 2, column 14: main calls itself"},
		{"def main():\n  return f(1)\ndef f():\n  return 1", "line 2, column 11: f takes 0 arguments, has 1"},
		{"def main():\n  return len(1, 2)", "line 2, column 13: the function takes at most 1"},
		{"def main():\n  return 5()", "line 2, column 11: a int cannot be called"},
		{"def main():\n  l = [1]\n  for x in l:\n    l.append(x)", "line 4, column 7: the list is being looped over"},
		{"def main():\n  d = {'a': 1}\n  for x in d:\n    d['b'] = 1", "line 4, column 7: the dict is being looped over"},
		{"def main():\n  return [2].sort()", "line 2, column 14: a list has no method sort"},
		{"def main():\n  return (1, 2).append(3)", "a tuple has no method append"},
		{"def main():\n  x = (1, 2)\n  x[0] = 1", "line 3, column 5: the items of a tuple cannot be set"},
		{"def main():\n  return {[1]: 2}", "unhashable type"},
		{"def main():\n  return max([])", "line 2, column 13: there is nothing to choose from"},
		{"def main():\n  return int('x')", "the str is no whole number"},
		{"def main():\n  return zip([1], [2])[0]", "the generator does not have the index"},
		{"def main():\n  return len(enumerate([1]))", "a generator has no length"},
		// what is too much
		{"def main():\n  return [i for i in range(90000)]", "it takes too many steps"},
		{"def main():\n  x = 3\n  for i in range(20):\n    x = x * x\n  return x", "more than 1024 bits"},
		{"def main():\n  return 'a' * 20000", "more than 16384 bytes"},
		{"def main():\n  return [0] * 2000", "more than 1024 items"},
	} {
		got, err := call(test.program, "[]")
		if err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%.60q: %s, error %v; want %q", test.program, got, err, test.want)
		}
		if _, is := errors.AsType[*starlark.Error](err); err != nil && !is {
			t.Errorf("%.60q: the error is a %T", test.program, err)
		}
	}
}

func TestArguments(t *testing.T) {
	for _, test := range []struct{ args, want string }{
		{"[1.5]", "an argument is a 'float'"},
		{"[[1.0]]", "an argument is a 'float'"},
		{"[]", "main takes 1 arguments, has 0"},
		{"[" + strings.Repeat("[", 150) + strings.Repeat("]", 150) + "]", "values stand within each other more than 100 deep"},
		{"[1" + strings.Repeat("0", 400) + "]", "more than 1024 bits"},
		{`["` + strings.Repeat("a", 1<<15) + `"]`, "a text has more than"},
	} {
		if got, err := call("def main(x):\n  return x", test.args); err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%.60s: %s, error %v; want %q", test.args, got, err, test.want)
		}
	}
}

// FuzzCall: no program panics, and none takes more than its limits.
func FuzzCall(f *testing.F) {
	f.Add("def main(a, b):\n  return a + b", `[1, 2]`)
	f.Add("X = [1]\ndef f(x):\n  x[0] += 1\n  return [i for i in x if i]\ndef main(l):\n  for a, b in zip(l, f(l)):\n    l = l + [a * b]\n  return {str(k): l for k in l}", `[[1, 2]]`)
	f.Add("def main(s):\n  d = dict(a=s)\n  d.pop('a')\n  return sorted(s.split(), key=lambda w: -len(w))[::2] or not s[0] in 'x'", `["a b"]`)
	f.Add("def main(x):\n  a = [x]\n  a.append(a)\n  return a == a", `[{"k": null}]`)
	f.Fuzz(func(t *testing.T, program, args string) {
		p, err := starlark.Compile(program)
		if err != nil {
			return
		}
		list, err := pyvalue.ParseJSON([]byte(args))
		l, is := list.(*pyvalue.List)
		if err != nil || !is {
			return
		}
		if _, err := p.Call("main", l.Items, limits); err != nil && !strings.HasPrefix(err.Error(), "line ") {
			t.Errorf("the error %q has no place", err)
		}
	})
}
