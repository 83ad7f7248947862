package reasoninggym

import (
	"math"
	"math/big"
	"slices"
	"strconv"
	"strings"

	"github.com/quintain-rl/quintain/internal/compiled"
	"github.com/quintain-rl/quintain/internal/unicode15"
	"github.com/quintain-rl/quintain/task/answer"
)

// weekdays are the answers to three kinds of calendar questions.
var weekdays = []string{"Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday"}

// calendar pays for any weekday, and less with the distance from a number of days.
func calendar(of *item, got string) float64 {
	var m struct {
		Task string `json:"task"`
	}
	if got == "" || !of.read(&m) {
		return 0
	}
	got, want := answer.Trim(got), answer.Trim(of.oracle)
	switch m.Task {
	case "weekday_offset", "weekday_of_date", "weekday_of_date_from_first_date":
		switch {
		case got == want:
			return 1
		case slices.Contains(weekdays, got):
			return 0.1
		case slices.Contains(weekdays, title(got)):
			return 0.05
		}
	case "is_leap_year":
		return oneIf(pyLower(got) == pyLower(want), 0)
	case "count_days", "count_business_days", "recurring_event_day":
		n, isN := pyReadInt(got)
		o, isO := pyReadInt(want)
		switch {
		case !isN || !isO:
			return 0
		case n.Cmp(o) == 0 || o.Sign() == 0:
			return oneIf(n.Cmp(o) == 0, 0)
		}
		far, _ := new(big.Float).SetInt(n.Sub(n, o)).Float64()
		of, _ := new(big.Float).SetInt(o).Float64()
		return math.Exp(-5 * math.Abs(far) / of)
	}
	return 0
}

// title returns a word with a capital first letter, and small letters after it.
func title(word string) string {
	letters := []rune(pyLower(word))
	for i, r := range letters {
		if i == 0 || !unicode15.IsLetter(letters[i-1]) {
			letters[i] = unicode15.ToUpper(r)
		}
	}
	return string(letters)
}

// probability takes fractions and decimals near the right one; else it pays for the common
// first characters of both as decimal numbers.
func probability(of *item, got string) float64 {
	x, isX := readFraction(strings.ReplaceAll(got, ",", ""))
	y, isY := readFraction(strings.ReplaceAll(of.oracle, ",", ""))
	if !isX || !isY {
		return 0
	}
	if math.Abs(x-y) <= 1e-4 {
		return 1
	}
	a, b := strconv.FormatFloat(x, 'g', 10, 64), strconv.FormatFloat(y, 'g', 10, 64)
	shorter, same := min(len(a), len(b)), 0
	for same < shorter && a[same] == b[same] {
		same++
	}
	return float64(same) / float64(shorter)
}

// fractionForm matches the texts that Python reads as a fraction.
var fractionForm = compiled.Regexp(`^([-+]?)(\p{Nd}+(?:_\p{Nd}+)*)?(?:/(\p{Nd}+(?:_\p{Nd}+)*)|(?:\.(\p{Nd}*|\p{Nd}+(?:_\p{Nd}+)*))?(?:[eE][-+]?\p{Nd}+(?:_\p{Nd}+)*)?)$`)

// readFraction reads a fraction, whole or decimal number, rounded to a float.
func readFraction(text string) (float64, bool) {
	text = answer.Trim(text)
	m := fractionForm().FindStringSubmatch(text)
	if m == nil || m[2] == "" && m[4] == "" {
		return 0, false
	}
	if m[3] == "" {
		x, ok := pyReadFloat(text)
		return x, ok && !math.IsInf(x, 0)
	}
	n, isN := pyReadInt(m[2])
	d, isD := pyReadInt(m[3])
	if !isN || !isD || d.Sign() == 0 {
		return 0, false
	}
	x, _ := new(big.Rat).SetFrac(n, d).Float64()
	if m[1] == "-" {
		x = -x
	}
	return x, !math.IsInf(x, 0)
}

// latexFraction matches a fraction in LaTeX.
var latexFraction = compiled.Regexp(`(?i)^\\d?frac\s*\{\s*(\p{Nd}+)\s*\}\s*\{\s*(\p{Nd}+)\s*\}`)

// fraction takes the reduced fraction, and pays a little for every other text.
func fraction(of *item, got string) float64 {
	const unread, other, unchanged = 0.01, 0.05, 0.1
	var m struct {
		Over       *big.Int `json:"numerator"`
		Under      *big.Int `json:"denominator"`
		RightOver  *big.Int `json:"simplified_numerator"`
		RightUnder *big.Int `json:"simplified_denominator"`
	}
	if !of.read(&m) {
		return 0
	}
	if m.Over == nil || m.Under == nil || m.RightOver == nil || m.RightUnder == nil {
		return of.spoil("want numerator and denominator, also simplified_")
	}
	got = answer.Trim(strings.Trim(answer.Trim(got), "$"))
	left, right, parts := strings.Cut(got, "/")
	if latex := latexFraction().FindStringSubmatch(got); latex != nil {
		left, right, parts = latex[1], latex[2], true
	}
	over, isOver := pyReadInt(left)
	under, isUnder := pyReadInt(right)
	switch {
	case !parts || !isOver || !isUnder:
		return unread
	case over.Cmp(m.RightOver) == 0 && under.Cmp(m.RightUnder) == 0:
		return 1
	case over.Cmp(m.Over) == 0 || under.Cmp(m.Under) == 0:
		return unchanged
	}
	return other
}

// interval pays less with the distance from the right duration, relative to the longest.
func interval(of *item, got string) float64 {
	var m struct {
		Kind       string `json:"task_type"`
		Difficulty struct {
			Seconds float64 `json:"max_time_difference_seconds"`
			Days    float64 `json:"max_date_difference_days"`
		} `json:"difficulty"`
	}
	m.Difficulty.Seconds, m.Difficulty.Days = 86400, 100
	if !of.read(&m) {
		return 0
	}
	read, most := readDays, m.Difficulty.Days
	switch {
	case strings.HasPrefix(m.Kind, "datetime"):
		read, most = readDateTime, 86400*m.Difficulty.Days
	case strings.HasPrefix(m.Kind, "time"):
		read, most = readTime, m.Difficulty.Seconds
	}
	x, isX := read(got)
	y, isY := read(of.oracle)
	switch {
	case !isX || !isY:
		return 0
	case x == y:
		return 1
	}
	return 1 - math.Abs(x-y)/most
}

// readDays reads the number at the start of a text.
func readDays(text string) (float64, bool) {
	words := answer.Fields(text)
	if len(words) == 0 {
		return 0, false
	}
	return whole(words[0])
}

// whole reads a whole number.
func whole(text string) (float64, bool) {
	n, ok := pyReadInt(text)
	if !ok {
		return 0, false
	}
	x, _ := new(big.Float).SetInt(n).Float64()
	return x, true
}

// readTime reads hours, minutes, and maybe seconds and milliseconds, as seconds.
func readTime(text string) (seconds float64, ok bool) {
	parts := strings.Split(answer.Trim(text), ":")
	if len(parts) < 2 {
		return 0, false
	}
	for i, part := range parts[:2] {
		n, is := whole(part)
		if !is {
			return 0, false
		}
		seconds += n * []float64{3600, 60}[i]
	}
	if len(parts) == 2 {
		return seconds, true
	}
	last, ms, split := strings.Cut(parts[2], ".")
	n, is := whole(last)
	if !split {
		return seconds + n, is
	}
	thousandths, isMs := whole(ms)
	return seconds + n + thousandths/1000, is && isMs
}

// readDateTime reads days and a time, as seconds.
func readDateTime(text string) (seconds float64, ok bool) {
	before, _, _ := strings.Cut(text, " days,")
	days, isDays := whole(before)
	parts := strings.Split(text, ",")
	if !isDays || len(parts) < 2 {
		return 0, false
	}
	seconds, ok = readTime(parts[1])
	return 86400*days + seconds, ok && !strings.Contains(parts[1], ".")
}

// triangle compares an angle, a point or a radius, and pays a little for every other text.
func triangle(of *item, got string) float64 {
	var m struct {
		Kind   string   `json:"task_type"`
		Center []string `json:"ortho"`
		Radius string   `json:"incircle_radius_exact"`
	}
	if !of.read(&m) {
		return 0
	}
	switch m.Kind {
	case "angle_measure":
		x, isX := pyReadFloat(strings.ReplaceAll(got, "°", ""))
		y, isY := pyReadFloat(strings.ReplaceAll(of.oracle, "°", ""))
		if !isX || !isY {
			return 0.01
		}
		return oneIf(places(x, 2) == places(y, 2), 0.05)
	case "orthocenter":
		return oneIf(len(m.Center) == 2 && atCenter(got, m.Center), 0.01)
	case "incircle_radius":
		if got == of.oracle {
			return 1
		}
		x, isX := pyReadFloat(got)
		y, isY := pyReadFloat(m.Radius)
		switch {
		case !isX || !isY:
			return 0.01
		case places(x, 2) == places(y, 2):
			return 0.5
		}
		return 0.05
	}
	return 0.01
}

// places rounds to a number of decimal places, as Python does.
func places(x float64, n int) string { return strconv.FormatFloat(x, 'f', n, 64) }

// atCenter reports whether a text has the two coordinates of a point, exact or rounded.
func atCenter(text string, center []string) bool {
	parts := strings.Split(text, ",")
	if len(parts) < 2 {
		return false
	}
	for i, part := range parts[:2] {
		part = strings.ReplaceAll(part, "()"[i:i+1], "")
		want, ok := new(big.Rat).SetString(center[i])
		if !ok {
			return false
		}
		got, ok := readRat(answer.Trim(part))
		if !ok {
			return false
		}
		x, _ := got.Float64()
		y, _ := want.Float64()
		if got.Cmp(want) != 0 && places(x, 3) != places(y, 3) {
			return false
		}
	}
	return true
}
