package codetask

import (
	"slices"
	"strconv"
	"strings"

	"github.com/quintain-rl/quintain/task/rng"
)

// walkRobot moves a robot over a board.
func walkRobot(r *rng.Rand) draft {
	turns := r.Chance(0.5)
	edge, edgeID := pick(r, []string{"A move beyond an edge brings it to the opposite edge.", "It stays where it is if a move would lead beyond an edge.", "It stops for good before a move that would lead beyond an edge, and ignores all further commands."})
	axis, down := either(r, "up", "down")
	result, id := pick(r, []struct{ text, py string }{
		{"its final position as the text `x,y`", "f\"{x},{y}\""}, {"the number of different positions at which it was, its first one included", "len(seen)"}, {"the greatest sum `x + y` of its coordinates on the way, its first position included", "max(a + b for a, b in seen)"},
		{"the number of commands that changed its position", "moves"},
	})
	commands, letters := "`N`, `E`, `S` and `W` move it one step in that direction", "NESW"
	setup, act := "    steps = {\"N\": (0, $up), \"E\": (1, 0), \"S\": (0, $down), \"W\": (-1, 0)}\n", "        dx, dy = steps[c]\n"
	if turns {
		commands, letters = "`L` and `R` turn it left or right by 90 degrees, `F` moves it a step in the direction it faces, `B` a step back; it faces north at first", "LRFBF"
		setup, act = "    dirs = [(0, $up), (1, 0), (0, $down), (-1, 0)]\n    face = 0\n", "        if c in \"LR\":\n            face = (face + (1 if c == \"R\" else -1)) % 4\n            continue\n        dx, dy = dirs[face]\n        if c == \"B\":\n            dx, dy = -dx, -dy\n"
	}
	d := draft{
		task: fill("A robot is on a board of `n` by `n` fields with positions (x, y), x and y from 0 to `n` - 1. It begins at (0, 0). North is $up in y: a step north $a y by 1, and a step east increases x by 1. Of the commands in `s`, $c. $e",
			"$up", axis, "$a", map[bool]string{false: "increases", true: "decreases"}[down], "$c", commands, "$e", edge),
		want:   result.text,
		form:   number,
		fields: []field{{name: "n", form: number, val: span{1, 20}}, {name: "s", form: word, len: span{0, 120}, letters: letters}},
		body: only(fill(setup+"    x = y = 0\n    moves = 0##3\n    seen = {(0, 0)}##12\n    for c in s:\n"+act+`        to = (x + dx, y + dy)
$edge
        moves += to != (x, y)##3
        x, y = to
        seen.add(to)##12
    return $r
`, "$up", map[bool]string{false: "1", true: "-1"}[down], "$down", map[bool]string{false: "-1", true: "1"}[down], "$r", result.py,
			"$edge", []string{"        to = (to[0] % n, to[1] % n)", "        if not (0 <= to[0] < n and 0 <= to[1] < n):\n            to = (x, y)", "        if not (0 <= to[0] < n and 0 <= to[1] < n):\n            break"}[edgeID]), id),
		drawn: []int64{bit(turns), edgeID, bit(down), id},
		bend: func(r *rng.Rand, in input) {
			if in.num(0) > 5 && r.Chance(0.8) {
				in[0] = r.Between64(2, 4)
			}
		},
	}
	d.task = fill(d.task, "North is up in y: a step", "A step", "North is down in y: a step", "A step")
	if id == 0 {
		d.form = word
	}
	d.solve = func(in input) any {
		w := walk{n: in.num(0), edge: edgeID, seen: map[[2]int64]bool{{0, 0}: true}}
		for _, c := range in.text(1) {
			if !w.command(c, turns, down) {
				break
			}
		}
		return []any{decimal(w.x) + "," + decimal(w.y), int64(len(w.seen)), w.far, w.moves}[id]
	}
	return d
}

// A walk is the way of a robot so far.
type walk struct {
	n, edge, x, y, face, far, moves int64
	seen                            map[[2]int64]bool
}

// command carries out a command, and tells whether the robot goes on.
func (w *walk) command(c rune, turns, down bool) bool {
	face := int64(strings.IndexRune("NESW", c))
	if turns {
		w.face = (w.face + map[rune]int64{'L': 3, 'R': 1}[c]) % 4
		face = w.face + 2*bit(c == 'B')
		if c == 'L' || c == 'R' {
			return true
		}
	}
	dx, dy := []int64{0, 1, 0, -1}[face%4], []int64{1, 0, -1, 0}[face%4]
	if down {
		dy = -dy
	}
	x, y := w.x+dx, w.y+dy
	out := x < 0 || y < 0 || x >= w.n || y >= w.n
	switch {
	case out && w.edge == 2:
		return false
	case out && w.edge == 1:
		x, y = w.x, w.y
	case out:
		x, y = modulo(x, w.n), modulo(y, w.n)
	}
	w.moves += bit(x != w.x || y != w.y)
	w.x, w.y, w.far = x, y, max(w.far, x+y)
	w.seen[[2]int64{x, y}] = true
	return true
}

// stackOps are instructions of a stack machine.
var stackOps = []struct {
	name, text, py string
	needs          int
	do             func(s []int64) []int64 // s has what it needs
}{
	{"add", "replaces the two top numbers by their sum", "    stack[-2:] = [stack[-2] + stack[-1]]", 2, func(s []int64) []int64 { return append(s[:len(s)-2], s[len(s)-2]+s[len(s)-1]) }},
	{"sub", "replaces the two top numbers by the lower one minus the top one", "    stack[-2:] = [stack[-2] - stack[-1]]", 2, func(s []int64) []int64 { return append(s[:len(s)-2], s[len(s)-2]-s[len(s)-1]) }},
	{"rsub", "replaces the two top numbers by the top one minus the lower one", "    stack[-2:] = [stack[-1] - stack[-2]]", 2, func(s []int64) []int64 { return append(s[:len(s)-2], s[len(s)-1]-s[len(s)-2]) }},
	{"max", "replaces the two top numbers by the larger one", "    stack[-2:] = [max(stack[-2:])]", 2, func(s []int64) []int64 { return append(s[:len(s)-2], max(s[len(s)-2], s[len(s)-1])) }},
	{"min", "replaces the two top numbers by the smaller one", "    stack[-2:] = [min(stack[-2:])]", 2, func(s []int64) []int64 { return append(s[:len(s)-2], min(s[len(s)-2], s[len(s)-1])) }},
	{"dup", "puts a copy of the top number on top", "    stack.append(stack[-1])", 1, func(s []int64) []int64 { return append(s, s[len(s)-1]) }},
	{"swap", "exchanges the two top numbers", "    stack[-2:] = [stack[-1], stack[-2]]", 2, func(s []int64) []int64 { return append(s[:len(s)-2], s[len(s)-1], s[len(s)-2]) }},
	{"over", "puts a copy of the second number from the top on top", "    stack.append(stack[-2])", 2, func(s []int64) []int64 { return append(s, s[len(s)-2]) }},
	{"drop", "removes the top number", "    stack.pop()", 1, func(s []int64) []int64 { return s[:len(s)-1] }},
	{"neg", "replaces the top number by its negative", "    stack[-1] = -stack[-1]", 1, func(s []int64) []int64 { return append(s[:len(s)-1], -s[len(s)-1]) }},
	{"rot", "moves the third number from the top to the top", "    stack.append(stack.pop(-3))", 3, func(s []int64) []int64 { return append(s[:len(s)-3], s[len(s)-2], s[len(s)-1], s[len(s)-3]) }},
}

// runStack runs a program of a stack machine.
func runStack(r *rng.Rand) draft {
	ops := []int{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10}
	ops = rng.Sample(r, ops, 4)
	slices.Sort(ops)
	fault, faultID := pick(r, []struct{ text, py string }{
		{"is skipped", "            continue\n"}, {"ends the program", "            break\n"}, {"removes all numbers from the stack and does nothing else", "            stack.clear()\n            continue\n"},
	})
	result, id := pick(r, []struct{ text, py string }{{"the numbers on the stack at the end, the lowest first", "stack"}, {"the numbers on the stack at the end, the top one first", "stack[::-1]"}, {"the sum of the numbers on the stack at the end", "sum(stack)"}})
	d := draft{
		task:   fill("`program` is a list of instructions for a machine with a stack of integers, which is empty at first. `push X` puts the integer X on top.", "", ""),
		want:   result.text,
		form:   []form{list, list, number}[id],
		fields: []field{{name: "program", form: texts, len: span{0, 50}, what: "an instruction; X is from -99 to 99"}},
	}
	names, needs, acts := []string{"push 1", "push -2"}, []string{}, ""
	for _, op := range ops {
		o := stackOps[op]
		d.task += fill(" `$n` $t.", "$n", o.name, "$t", o.text)
		names = append(names, o.name)
		needs = append(needs, fill("\"$n\": $k", "$n", o.name, "$k", strconv.Itoa(o.needs)))
		acts += fill("        elif op == \"$n\":\n        $p\n", "$n", o.name, "$p", o.py)
		d.drawn = append(d.drawn, int64(op))
	}
	d.drawn = append(d.drawn, faultID, id)
	d.task += fill(" An instruction that needs more numbers than there are on the stack $f.", "$f", fault.text)
	d.body = fill("    needs = {$needs}\n    stack = []\n    for line in program:\n        op, *value = line.split()\n        if len(stack) < needs.get(op, 0):\n$f        if op == \"push\":\n            stack.append(int(*value))\n$acts    return $r\n",
		"$needs", strings.Join(needs, ", "), "$f", fault.py, "$acts", acts, "$r", result.py)
	d.make = func(r *rng.Rand, s size) input {
		program := make([]string, min(50, s.len*2))
		pushes := rng.Pick(r, []float64{0, 0.2, 0.4})
		for i := range program {
			program[i] = rng.Pick(r, names)
			if strings.HasPrefix(program[i], "push") || r.Chance(pushes) {
				program[i] = "push " + decimal(r.Between64(-9, []int64{9, 99}[bit(s.span < 0)]))
			}
		}
		return input{program}
	}
	d.solve = func(in input) any {
		stack := ranStack(in.texts(), faultID)
		down := slices.Clone(stack)
		slices.Reverse(down)
		return []any{stack, down, total(stack)}[id]
	}
	return d
}

func ranStack(program []string, fault int64) (stack []int64) {
	stack = []int64{}
	for _, line := range program {
		if text, ok := strings.CutPrefix(line, "push "); ok {
			x, _ := strconv.ParseInt(text, 10, 64) // the package wrote it
			stack = append(stack, x)
		}
		for _, op := range stackOps {
			switch {
			case op.name != line:
			case len(stack) >= op.needs:
				stack = op.do(stack)
			case fault == 1:
				return stack
			case fault == 2:
				stack = stack[:0]
			}
		}
	}
	return stack
}

// circleGame removes people from a circle, one after the other.
func circleGame(r *rng.Rand) draft {
	rule, id := pick(r, []struct{ text, py string }{
		{"Counting goes on with the next person, and always in the same direction.", ""}, {"Each time the number to count to grows by 1.", "        k += 1\n"},
		{"Each time the direction changes: counting goes on with the person on the other side of the gap.", "        people.reverse()\n        at = (len(people) - at) % max(1, len(people))\n"},
		{"Counting goes on with the person after the next one, who is passed over.", "        at = (at + 1) % max(1, len(people))\n"},
	})
	result, resultID := pick(r, []struct{ text, py string }{{"the numbers of the people in the order in which they leave", "out"}, {"the number of the last person to leave", "out[-1]"}, {"the sum of the numbers of the last three people to leave, or of all if there are fewer", "sum(out[-3:])"}, {"the place in which person 1 leaves, where 1 is the first to leave", "out.index(1) + 1"}})
	return draft{
		task:   fill("`n` people, numbered from 1 to `n`, stand in a circle. Count from person 1 upwards; the person who gets the number `k` leaves. $r This is repeated until all have left. A single person may be counted several times.", "$r", rule.text),
		want:   result.text,
		form:   []form{list, number, number, number}[resultID],
		fields: []field{{name: "n", form: number, val: span{1, 60}}, {name: "k", form: number, val: span{1, 20}}},
		body:   fill("    people = list(range(1, n + 1))\n    out = []\n    at = 0\n    while people:\n        at = (at + k - 1) % len(people)\n        out.append(people.pop(at))\n$rule    return $r\n", "$rule", rule.py, "$r", result.py),
		drawn:  []int64{id, resultID},
		bend: func(r *rng.Rand, in input) {
			if r.Chance(0.5) {
				in[0] = min(in.num(0), r.Between64(1, 8))
			}
		},
		solve: func(in input) any {
			out := leaving(in.num(0), in.num(1), id)
			return []any{out, out[len(out)-1], total(out[max(0, len(out)-3):]), int64(slices.Index(out, 1) + 1)}[resultID]
		},
	}
}

// leaving returns the order in which the people leave.
func leaving(n, k, rule int64) (out []int64) {
	next, before := make([]int64, n), make([]int64, n) // of each person, from 0
	for i := range n {
		next[i], before[i] = (i+1)%n, (i+n-1)%n
	}
	for at := int64(0); int64(len(out)) < n; {
		for range k - 1 {
			at = next[at]
		}
		out = append(out, at+1)
		next[before[at]], before[next[at]] = next[at], before[at]
		switch at = next[at]; rule {
		case 1:
			k++
		case 2:
			next, before = before, next
			at = next[at]
		case 3:
			at = next[at]
		}
	}
	return out
}
