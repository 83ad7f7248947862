package transformations

import (
	"slices"
	"strings"
)

// A text is a grid as rows of characters: digits, and P for paint. The verifiers of the
// rules work on texts, and share no code with the rules.
type text []string

// textOf writes a board as a text.
func textOf(b board) (x text) {
	for _, row := range b {
		var s strings.Builder
		for _, c := range row {
			s.WriteByte("0123456789P"[c])
		}
		x = append(x, s.String())
	}
	return x
}

func zeros(n int) string { return strings.Repeat("0", max(0, n)) }

func backward(s string) string {
	b := []byte(s)
	slices.Reverse(b)
	return string(b)
}

// everyRow maps each row of a text.
func everyRow(f func(i int, s string) string) func(text) text {
	return func(x text) (out text) {
		for i, s := range x {
			out = append(out, f(i, s))
		}
		return out
	}
}

// zip transposes a text.
func zip(x text) (out text) {
	for j := range x[0] {
		var s []byte
		for _, row := range x {
			s = append(s, row[j])
		}
		out = append(out, string(s))
	}
	return out
}

// up applies f to columns instead of rows.
func up(f func(text) text) func(text) text { return func(x text) text { return zip(f(zip(x))) } }

func rev(x text) text  { return everyRow(func(_ int, s string) string { return backward(s) })(x) }
func flip(x text) text { x = slices.Clone(x); slices.Reverse(x); return x }

func beside(a, b text) (out text) {
	for i := range a {
		out = append(out, a[i]+b[i])
	}
	return out
}

func above(a, b text) text { return slices.Concat(a, b) }

// after applies steps in sequence.
func after(steps ...func(text) text) func(text) text {
	return func(x text) text {
		for _, f := range steps {
			x = f(x)
		}
		return x
	}
}

// roll moves a row to the right by n, with wraparound.
func roll(s string, n int) string {
	n = (n%len(s) + len(s)) % len(s)
	return s[len(s)-n:] + s[:len(s)-n]
}

// filled returns a text of the size of x, of one character.
func filled(x text, c byte) text {
	return slices.Repeat(text{strings.Repeat(string(c), len(x[0]))}, len(x))
}

// merged fills the ground of a from b.
func merged(a, b text) text {
	return everyRow(func(i int, s string) string {
		out := []byte(s)
		for j := range out {
			if out[j] == '0' {
				out[j] = b[i][j]
			}
		}
		return string(out)
	})(a)
}

// framed puts a frame around a text.
func framed(x text, c string) text {
	line := strings.Repeat(c, len(x[0])+2)
	return slices.Concat(text{line}, everyRow(func(_ int, s string) string { return c + s + c })(x), text{line})
}

// core removes the frame.
func core(x text) text {
	return everyRow(func(_ int, s string) string { return s[1 : len(s)-1] })(x[1 : len(x)-1])
}

// chars returns the characters of a text as mutable bytes.
func chars(x text) (out [][]byte) {
	for _, s := range x {
		out = append(out, []byte(s))
	}
	return out
}

func fromChars(b [][]byte) (x text) {
	for _, row := range b {
		x = append(x, string(row))
	}
	return x
}

// replaced replaces characters everywhere.
func replaced(x text, pairs ...string) text {
	return everyRow(func(_ int, s string) string { return strings.NewReplacer(pairs...).Replace(s) })(x)
}

// A shapeSet is a thing for verifiers: its places and color.
type shapeSet struct {
	at    map[[2]int]bool
	color byte
}

func (s shapeSet) ends() (top, left, bottom, right int) {
	top, left, bottom, right = 99, 99, -1, -1
	for c := range s.at {
		top, left, bottom, right = min(top, c[0]), min(left, c[1]), max(bottom, c[0]), max(right, c[1])
	}
	return top, left, bottom, right
}

// crop cuts out the smallest rectangle with all places.
func (s shapeSet) crop(x text) (out text) {
	top, left, bottom, right := s.ends()
	for _, row := range x[top : bottom+1] {
		out = append(out, row[left:right+1])
	}
	return out
}

// shapesOf finds the things of a text: each cell has a label, and takes that of an equal
// neighbor until nothing changes.
func shapesOf(x text) (out []*shapeSet) {
	w := len(x[0])
	label := map[[2]int]int{}
	for i, s := range x {
		for j := range s {
			label[[2]int{i, j}] = i*w + j
		}
	}
	for changed := true; changed; {
		changed = false
		for c, l := range label {
			for _, d := range [][2]int{{c[0] + 1, c[1]}, {c[0], c[1] + 1}, {c[0] - 1, c[1]}, {c[0], c[1] - 1}} {
				if other, ok := label[d]; ok && other < l && x[c[0]][c[1]] == x[d[0]][d[1]] {
					l, label[c], changed = other, other, true
				}
			}
		}
	}
	sets := map[int]*shapeSet{}
	for i, s := range x {
		for j := range s {
			if s[j] == '0' {
				continue
			}
			l := label[[2]int{i, j}]
			if sets[l] == nil {
				sets[l] = &shapeSet{map[[2]int]bool{}, s[j]}
				out = append(out, sets[l])
			}
			sets[l].at[[2]int{i, j}] = true
		}
	}
	return out
}

// redone gives things of a text other characters; a thing for which char returns 0 stays.
func redone(x text, char func(s *shapeSet) byte) text {
	b := chars(x)
	for _, s := range shapesOf(x) {
		if c := char(s); c != 0 {
			for at := range s.at {
				b[at[0]][at[1]] = c
			}
		}
	}
	return fromChars(b)
}

// enclosed returns the places without color that no path over such places connects with the
// border.
func enclosed(x text) map[[2]int]bool {
	open := framed(x, "0")
	b := chars(open)
	b[0][0] = '.'
	for changed := true; changed; {
		changed = false
		for i := range b {
			for j := range b[i] {
				if b[i][j] == '0' && (i > 0 && b[i-1][j] == '.' || j > 0 && b[i][j-1] == '.' || i+1 < len(b) && b[i+1][j] == '.' || j+1 < len(b[i]) && b[i][j+1] == '.') {
					b[i][j], changed = '.', true
				}
			}
		}
	}
	out := map[[2]int]bool{}
	for i, row := range b {
		for j := range row {
			if row[j] == '0' {
				out[[2]int{i - 1, j - 1}] = true
			}
		}
	}
	return out
}

// countsOf counts each color, ground apart.
func countsOf(x text) map[string]int {
	counts := map[string]int{}
	for c := '1'; c <= '9'; c++ {
		if n := strings.Count(strings.Join(x, ""), string(c)); n > 0 {
			counts[string(c)] = n
		}
	}
	return counts
}
