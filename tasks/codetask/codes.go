package codetask

import (
	"slices"
	"strconv"
	"strings"

	"github.com/quintain-rl/quintain/task/rng"
)

// shiftLetters moves letters along the alphabet.
func shiftLetters(r *rng.Rand) draft {
	k := r.Between64(2, 11)
	rule, id := pick(r, []struct{ text, py string }{
		{"by $k", "$k"}, {"by its position in `s`, counted from 0", "i"}, {"by $k if its position in `s`, counted from 0, is even, and by 1 if it is odd", "$k if i % 2 == 0 else 1"},
		{"by the number of spaces before it", "s[:i].count(\" \")"}, {"by $k times the number of letters before it", "$k * sum(x.isalpha() for x in s[:i])"}, {"by the length of `s`", "len(s)"},
	})
	way, back := either(r, "forwards", "backwards")
	swap := r.Chance(0.3)
	task := "Move each letter of `s` along the alphabet $way, $rule. After `z` comes `a`, after `Z` comes `A`, and other characters stay as they are. $case"
	return draft{
		task:   fill(task, "$way", way, "$rule", fill(rule.text, "$k", decimal(k)), "$case", map[bool]string{false: "Letters keep their case.", true: "Each moved letter then changes its case."}[swap]),
		want:   "the new text",
		form:   word,
		fields: []field{{name: "s", form: word, len: span{0, 60}, letters: prose}},
		body: fill(`
    out = []
    for i, c in enumerate(s):
        if c.isalpha():
            first = ord("a") if c.islower() else ord("A")
            shift = $shift
            c = chr(first + (ord(c) - first $sign shift) % 26)$swap
        out.append(c)
    return "".join(out)
`, "$shift", fill(rule.py, "$k", decimal(k)), "$sign", map[bool]string{false: "+", true: "-"}[back], "$swap", map[bool]string{true: ".swapcase()"}[swap]),
		drawn: []int64{k, id, bit(back), bit(swap)},
		solve: func(in input) any {
			s, out, before, spaces := in.text(0), []byte{}, int64(0), int64(0)
			for i := range len(s) {
				c, at := s[i], int64(i)
				shift := []int64{k, at, 1 + (k-1)*(1-at%2), spaces, k * before, int64(len(s))}[id]
				if back {
					shift = -shift
				}
				spaces += bit(c == ' ')
				if j := strings.IndexByte(letters, c); j >= 0 {
					before++
					alphabet, other := letters[j/26*26:][:26], letters[26-j/26*26:][:26]
					if swap {
						alphabet = other
					}
					c = alphabet[modulo(int64(j%26)+shift, 26)]
				}
				out = append(out, c)
			}
			return string(out)
		},
	}
}

// writeInBase writes a number in another base.
func writeInBase(r *rng.Rand) draft {
	base, baseID := pick(r, []int64{2, 3, 4, 5, 6, 7, 12, 16, 20, 36})
	capital := base > 10 && r.Chance(0.5)
	turned := r.Chance(0.3)
	group := rng.Pick(r, []int64{0, 0, 3, 4})
	width := rng.Pick(r, []int64{0, 0, 4, 6, 8})
	d := draft{
		task:   fill("Write `n` in base $b.", "$b", decimal(base)),
		want:   "the text",
		form:   word,
		fields: []field{{name: "n", form: number, val: span{-1_000_000_000_000, 1_000_000_000_000}}},
		body: fill(`
    digits = ""
    rest = abs(n)
    while rest > 0 or not digits:
        rest, digit = divmod(rest, $b)
        digits = "$all"[digit] + digits
`, "$b", decimal(base), "$all", digitsUpTo(base, capital)),
		drawn: []int64{baseID, bit(capital), bit(turned), group, width},
		solve: func(in input) any {
			text := strconv.FormatInt(max(in.num(0), -in.num(0)), int(base))
			if capital {
				text = strings.ToUpper(text)
			}
			text = strings.Repeat("0", max(0, int(width)-len(text))) + text
			if turned {
				text = reversed(text)
			}
			text = groupedBy(text, int(group))
			if in.num(0) < 0 {
				return "-" + text
			}
			return text
		},
	}
	if base > 10 {
		d.task += fill(" The digits after 9 are letters, beginning with `$a`.", "$a", map[bool]string{false: "a", true: "A"}[capital])
	}
	if width > 0 {
		d.task += fill(" If there are fewer than $w digits, put zeros in front until there are $w.", "$w", decimal(width))
		d.body += fill("    digits = digits.rjust($w, \"0\")\n", "$w", decimal(width))
	}
	if turned {
		d.task += " Then reverse the order of the digits."
		d.body += "    digits = digits[::-1]\n"
	}
	if group > 0 {
		d.task += fill(" Then put a `_` after every $g digits, counted from the right, where digits still follow to the left.", "$g", decimal(group))
		d.body += fill("    parts = []\n    while digits:\n        parts.append(digits[-$g:])\n        digits = digits[:-$g]\n    digits = \"_\".join(reversed(parts))\n", "$g", decimal(group))
	}
	d.task += " At last, if `n` is negative, put a `-` in front."
	d.body += "    return \"-\" + digits if n < 0 else digits\n"
	return d
}

func digitsUpTo(base int64, capital bool) string {
	all := digits + lower
	if capital {
		all = digits + upper
	}
	return all[:base]
}

// groupedBy puts _ between groups of n characters, counted from the right.
func groupedBy(text string, n int) string {
	for at := len(text) - n; at > 0 && n > 0; at -= n {
		text = text[:at] + "_" + text[at:]
	}
	return text
}

// bracketPairs are kinds of brackets.
var bracketPairs = []string{"()", "[]", "{}", "<>"}

// checkBrackets looks for the first mistake in a text of brackets.
func checkBrackets(r *rng.Rand) draft {
	pairs := rng.Sample(r, bracketPairs, r.Between(2, 3))
	slices.Sort(pairs)
	deepest := rng.Pick(r, []int64{0, 2, 3, 4})
	same := r.Chance(0.4)
	result, id := pick(r, []string{"`s` is correct", "the greatest depth in `s` if it is correct, and -1 if not", "the position of the first wrong character, counted from 0; the length of `s` if only closing brackets are missing at its end; -1 if it is correct"})
	kinds := "`" + strings.Join(pairs[:len(pairs)-1], "`, `") + "` and `" + pairs[len(pairs)-1] + "`"
	d := draft{
		task:   fill("`s` consists of brackets of the kinds $k. It is correct if every bracket is closed by one of its kind, in the right order.", "$k", kinds),
		want:   result,
		form:   []form{truth, number, number}[id],
		fields: []field{{name: "s", form: word, len: span{0, 60}, letters: strings.Join(pairs, "")}},
		bend:   func(r *rng.Rand, in input) { in[0] = drawBrackets(r, len(in.text(0)), pairs) },
		drawn:  []int64{deepest, bit(same), id},
		solve: func(in input) any {
			wrong, depth := firstWrong(in.text(0), deepest, same)
			if wrong >= 0 {
				depth = -1
			}
			return []any{wrong < 0, depth, wrong}[id]
		},
	}
	wrong := "return " + []string{"False", "-1", "i"}[id]
	var extra string
	if deepest > 0 || id == 1 {
		d.task += " The depth at a place is the number of open brackets there."
	}
	if deepest > 0 {
		d.task += fill(" A bracket that would make the depth greater than $d is wrong.", "$d", decimal(deepest))
		extra += fill("            if len(stack) > $d:\n                $wrong\n", "$d", decimal(deepest), "$wrong", wrong)
	}
	if same {
		d.task += " A bracket that opens directly inside one of its own kind (with no other kind of bracket open between the two) is wrong."
		extra = fill("            if stack and stack[-1] == c:\n                $wrong\n", "$wrong", wrong) + "            stack.append(c)\n" + extra
	} else {
		extra = "            stack.append(c)\n" + extra
	}
	d.body = fill(`
    close = {$pairs}
    stack = []
$deep    for i, c in enumerate(s):
        if c in close:
$extra$max        elif not stack or close[stack.pop()] != c:
            $wrong
    return $end
`, "$pairs", joined(pairs, ", ", func(p string) string { return literal(p[:1]) + ": " + literal(p[1:]) }), "$extra", extra, "$wrong", wrong,
		"$deep", map[bool]string{true: "    depth = 0\n"}[id == 1], "$max", map[bool]string{true: "            depth = max(depth, len(stack))\n"}[id == 1],
		"$end", []string{"not stack", "-1 if stack else depth", "len(s) if stack else -1"}[id])
	return d
}

// drawBrackets draws a text of brackets that is often correct.
func drawBrackets(r *rng.Rand, n int, pairs []string) string {
	var open, text []byte
	nests := r.Chance(0.7) // no bracket directly inside one of its kind
	share := rng.Pick(r, []float64{0.5, 0.6, 0.8})
	for len(text)+len(open) < n {
		p := rng.Pick(r, pairs)
		if len(open) > 0 && open[len(open)-1] == p[1] && nests {
			p = pairs[(slices.Index(pairs, p)+1)%len(pairs)]
		}
		if len(open) == 0 || r.Chance(share) {
			text, open = append(text, p[0]), append(open, p[1])
			continue
		}
		text, open = append(text, open[len(open)-1]), open[:len(open)-1]
	}
	slices.Reverse(open)
	text = append(text, open...)
	if len(text) > n {
		text = text[:n]
	}
	if n > 0 && r.Chance(0.4) {
		p := rng.Pick(r, pairs)
		text[r.Between(0, n-1)] = p[r.Between(0, 1)]
	}
	return string(text)
}

// firstWrong returns the position of the first wrong bracket, -1 if there is none, and the
// greatest depth.
func firstWrong(s string, deepest int64, same bool) (wrong, depth int64) {
	var stack []byte
	for i := range len(s) {
		if at := strings.IndexByte("([{<", s[i]); at >= 0 {
			if same && len(stack) > 0 && stack[len(stack)-1] == s[i] || deepest > 0 && int64(len(stack)) == deepest {
				return int64(i), depth
			}
			stack = append(stack, s[i])
			depth = max(depth, int64(len(stack)))
			continue
		}
		if len(stack) == 0 || strings.IndexByte("([{<", stack[len(stack)-1]) != strings.IndexByte(")]}>", s[i]) {
			return int64(i), depth
		}
		stack = stack[:len(stack)-1]
	}
	if len(stack) > 0 {
		return int64(len(s)), depth
	}
	return -1, depth
}
