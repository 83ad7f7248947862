package moves

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/quintain-rl/quintain/task"
	"github.com/quintain-rl/quintain/task/answer"
)

// A cubeTurn turns the layers from first to last, counted from 0 at the face, or the whole
// cube.
type cubeTurn struct {
	face        int
	first, last int
	whole       bool
	quarters    int // 1 to 3, clockwise as seen from the face
}

// The faces in the order of their names. Opposite faces are neighbours.
const (
	top = iota
	bottom
	left
	right
	front
	back
)

// The letters of moves: of faces, of the layers between two faces, and of the whole cube.
const (
	faceLetters  = "UDLRFB"
	sliceLetters = " EM S " // at the index of the face that gives the direction
	wholeLetters = "Y  XZ "
)

// String writes a turn.
func (t cubeTurn) String() string {
	name := faceLetters[t.face : t.face+1]
	switch {
	case t.whole:
		name = wholeLetters[t.face : t.face+1]
	case t.first > 0:
		name = strconv.Itoa(t.first+1) + name
	case t.last > 1:
		name = strconv.Itoa(t.last+1) + name + "w"
	case t.last == 1:
		name += "w"
	}
	return name + [...]string{"0", "", "2", "'"}[t.quarters]
}

// turnsText writes turns.
func turnsText(turns []cubeTurn) string {
	words := make([]string, len(turns))
	for i, t := range turns {
		words[i] = t.String()
	}
	return strings.Join(words, " ")
}

// readTurns reads moves of a cube with n layers, separated by space or commas. Moves
// without effect, such as U4, are left out.
func readTurns(text string, n int) (turns []cubeTurn, err error) {
	if strings.ContainsAny(text, "’′") {
		text = strings.NewReplacer("’", "'", "′", "'").Replace(text)
	}
	for word := range strings.FieldsFuncSeq(text, func(r rune) bool { return r == ',' || answer.Space(r) }) {
		t, ok := readTurn(word, n)
		if !ok {
			return nil, fmt.Errorf("%.20q is not a move of this cube", word)
		}
		if t.quarters > 0 {
			turns = append(turns, t)
		}
	}
	return turns, nil
}

// readTurn reads a move of a cube with n layers: a letter, optionally followed by w for
// several layers, or preceded by the number of layers or of a layer; then an apostrophe or
// a count.
func readTurn(word string, n int) (t cubeTurn, ok bool) {
	layer := 0
	if word[0] >= '1' && word[0] <= '9' {
		layer, word = int(word[0]-'0'), word[1:]
	}
	if word == "" {
		return t, false
	}
	name := word[:1]
	count, turnable := readCount(strings.TrimPrefix(word[1:], "w"))
	wide := strings.HasPrefix(word[1:], "w")
	t.quarters = count
	switch {
	case strings.Contains(faceLetters, name):
		t.face = strings.Index(faceLetters, name)
		t.last = max(layer, 1+task.Bit(wide && layer == 0)) - 1
		if !wide {
			t.first = t.last
		}
		return t, turnable && t.last < n
	case strings.Contains(sliceLetters, name):
		t.face, t.first, t.last = strings.Index(sliceLetters, name), n/2, n/2
		return t, turnable && n%2 == 1 && !wide && layer == 0
	}
	t.face, t.whole = strings.Index(wholeLetters, strings.ToUpper(name)), true
	return t, turnable && t.face >= 0 && !wide && layer == 0
}

// readCount reads the end of a move as quarters: an apostrophe, a count, or both.
func readCount(text string) (quarters int, ok bool) {
	inner := strings.TrimSuffix(text, "'")
	if inner == text {
		inner = strings.TrimPrefix(text, "'")
	}
	times := 1
	if inner != "" {
		n, err := strconv.ParseUint(inner, 10, 32)
		if err != nil {
			return 0, false
		}
		times = int(n % 4)
	}
	if inner != text {
		times = 3 * times
	}
	return times % 4, true
}
