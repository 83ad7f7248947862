package watch

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/DataDog/datadog-agent/pkg/template/html"

	"github.com/quintain-rl/quintain"
	"github.com/quintain-rl/quintain/internal/web"
	"github.com/quintain-rl/quintain/run/watch/words"
	"github.com/quintain-rl/quintain/trace"
)

// Bounds on a page of groups.
const (
	pageRows   = 30
	pageTokens = 2_000_000 // of all groups on a page but the first, as they must be read
	pieceText  = 160       // characters of a prompt
)

// A groupRow is a group in the list.
type groupRow struct {
	trace.Entry
	Link  string
	Label string // the task and its level; empty: it cannot be read
	Piece string // the beginning of the prompt
	Strip template.HTML
	Tally string // of the verdicts
}

// labelOf names a task at a level of a run; see [trace.Entry].
func labelOf(task string, level int) string {
	if level == quintain.OwnParams {
		return plain(task) + " with settings of its own"
	}
	return plain(task) + ":" + strconv.Itoa(level)
}

// fitting is how many of the entries fit on a page.
func fitting(entries []trace.Entry) int {
	tokens := 0
	for i, e := range entries {
		if tokens += e.Tokens; i > 0 && tokens > pageTokens {
			return i
		}
	}
	return len(entries)
}

// rows reads the groups of a page. One that cannot be read has only what the index knows.
func (s *Server) rows(c *web.Call, sel *selection, entries []trace.Entry) (all []groupRow, err error) {
	err = c.Compute(func() error {
		for _, e := range entries {
			row := groupRow{Entry: e, Link: sel.link(e.Ref.Text(), 0)}
			if r, err := s.trace.now().Read(e.Ref); err == nil {
				row.Label, row.Piece = labelOf(e.Task, e.Level), inLine(pieceOf(r), pieceText)
				verdicts := verdictsOf(r)
				row.Strip, row.Tally = stripOf(verdicts, r.Scores).svg(), tally(verdicts)
			}
			all = append(all, row)
		}
		return c.Context().Err()
	})
	return all, err
}

// pieceOf is the text of a group in the list: the prompt or, if that is shorter, what the
// policy was told last before its first reply.
func pieceOf(r *trace.Record) string {
	text := r.Problem.Prompt
	if told := openingOf(r); len(told) > 0 {
		if last := told[len(told)-1].Text(); last != "" && len(last) < len(text) {
			return last
		}
	}
	return text
}

// inLine is the beginning of a text in one line, with "most" characters at most.
func inLine(text string, most int) string {
	end := min(len(text), 8*most)
	for end < len(text) && end > 0 && !utf8.RuneStart(text[end]) {
		end--
	}
	cut := text[:end]
	pieces, left := words.Split(strings.Join(strings.Fields(cut), " "), most)
	var b strings.Builder
	for _, p := range pieces {
		b.WriteString(p.Text)
	}
	if left > 0 || len(cut) < len(text) {
		b.WriteString("…")
	}
	return b.String()
}

// A verdict is what people want to know of a reply first.
type verdict string

// The verdicts, best first.
const (
	isRight  verdict = "right"
	isPartly verdict = "partly right"
	isWrong  verdict = "wrong"
	isNone   verdict = "without a score"
)

// verdictsOf are the verdicts on the episodes of a group. A score of 1 counts as right also
// where nobody said so, as in groups of other programs.
func verdictsOf(r *trace.Record) []verdict {
	all := make([]verdict, len(r.Episodes))
	for i := range r.Episodes {
		switch e := &r.Episodes[i]; {
		case !e.Outcome.Rewarded() || i >= len(r.Scores) && !e.Solved():
			all[i] = isNone
		case e.Solved() || r.Scores[i] >= 1:
			all[i] = isRight
		case r.Scores[i] > 0:
			all[i] = isPartly
		default:
			all[i] = isWrong
		}
	}
	return all
}

// class is the verdict as a class of the style.
func (v verdict) class() string {
	word, _, _ := strings.Cut(string(v), " ")
	return word
}

// adjective is the verdict before a noun.
func (v verdict) adjective() string { return strings.Replace(string(v), " ", "-", 1) }

// tally says how many replies are right.
func tally(all []verdict) string {
	n := map[verdict]int{}
	for _, v := range all {
		n[v]++
	}
	text := fmt.Sprintf("%d of %d right", n[isRight], len(all))
	if n[isPartly] > 0 {
		text += fmt.Sprintf(", %d partly", n[isPartly])
	}
	if n[isNone] > 0 {
		text += fmt.Sprintf(", %d without a score", n[isNone])
	}
	return text
}

// A strip is a bar for each reply of a group, the highest score first.
type strip []bar

// A bar is a reply in a strip.
type bar struct {
	verdict
	height float64 // of the strip, 0 to 1
}

// stripOf makes the strip of a group. Scores from 0 to 1 are heights; if any is outside, the
// lowest is the bottom and the highest the top.
func stripOf(verdicts []verdict, scores []float64) (all strip) {
	low, high := 0.0, 1.0
	for _, v := range scores {
		low, high = min(low, v), max(high, v)
	}
	for i, v := range verdicts {
		b := bar{v, 0}
		if i < len(scores) {
			b.height = (scores[i] - low) / (high - low)
		}
		all = append(all, b)
	}
	slices.SortStableFunc(all, func(a, b bar) int {
		if a.height == 0 && b.height == 0 {
			return strings.Compare(string(b.verdict), string(a.verdict)) // those without a score last
		}
		return cmp.Compare(b.height, a.height)
	})
	return all
}

// Size of a strip in pixels.
const (
	stripWide, stripHigh = 112, 20
	barPitch             = 7 // at most
)

// svg draws the strip; a text beside it says the same. It has numbers and our own words only.
func (s strip) svg() template.HTML {
	if len(s) == 0 {
		return ""
	}
	pitch := min(barPitch, float64(stripWide)/float64(len(s)))
	var b strings.Builder
	fmt.Fprintf(&b, `<svg class="strip" width="%.0f" height="%d" aria-hidden="true">`, pitch*float64(len(s)), stripHigh)
	for i, one := range s {
		high := 2 + one.height*(stripHigh-2)
		fmt.Fprintf(&b, `<rect class="%s" x="%.2f" y="%.1f" width="%.2f" height="%.1f"/>`, one.class(), float64(i)*pitch, stripHigh-high, max(0.5, pitch-min(2, pitch/3)), high)
	}
	b.WriteString("</svg>")
	return template.HTML(b.String())
}
