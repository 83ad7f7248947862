package arithmetic

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/quintain-rl/quintain/task/answer"
)

// Lengths of time, in microseconds.
const (
	milli    = int64(1000)
	second   = 1000 * milli
	minute   = 60 * second
	hour     = 60 * minute
	wholeDay = 24 * hour
)

// A moment is a local date and time of day, with or without a time zone.
type moment struct {
	day    civilDay
	clock  int64 // microseconds since midnight
	zoned  bool  // the time zone is known
	offset int   // of the time zone, in minutes east of Greenwich
}

// offsets are some offsets of real time zones, in minutes.
var offsets = []int{-720, -600, -480, -420, -360, -300, -240, -210, -180, -60, 0, 60, 120, 180, 210, 240, 300, 330, 345, 360, 420, 480, 540, 570, 600, 660, 720, 765, 840}

// since returns the microseconds from o to m.
func (m moment) since(o moment) int64 {
	return int64(m.day-o.day)*wholeDay + m.clock - o.clock - int64(m.offset-o.offset)*minute
}

// text writes m as Python does, as 2022-12-31 23:59:59.999000+05:30.
func (m moment) text() string {
	b := append(appendDate(make([]byte, 0, 40), m.day), ' ')
	b = m.appendClock(b, second)
	if fraction := m.clock % second; fraction > 0 {
		b = appendPadded(append(b, '.'), int(fraction), 6)
	}
	if m.zoned {
		b = m.appendOffset(b, ":")
	}
	return string(b)
}

// appendClock appends hours and minutes, and seconds if that is the unit.
func (m moment) appendClock(b []byte, unit int64) []byte {
	b = appendPadded(b, int(m.clock/hour), 2)
	b = appendPadded(append(b, ':'), int(m.clock/minute%60), 2)
	if unit == second {
		b = appendPadded(append(b, ':'), int(m.clock/second%60), 2)
	}
	return b
}

// appendOffset appends the offset of the time zone, with a text between hours and
// minutes.
func (m moment) appendOffset(b []byte, between string) []byte {
	sign, offset := byte('+'), m.offset
	if offset < 0 {
		sign, offset = '-', -offset
	}
	b = appendPadded(append(b, sign), offset/60, 2)
	return appendPadded(append(b, between...), offset%60, 2)
}

// appendLayout appends m in a format of C's strftime. It knows the signs used in layouts
// and leaves others alone; a fraction has three digits.
func (m moment) appendLayout(b []byte, format string) []byte {
	year, month, day := m.day.date()
	for i := 0; i < len(format); i++ {
		if format[i] != '%' || i+1 == len(format) {
			b = append(b, format[i])
			continue
		}
		i++
		switch format[i] {
		case 'Y':
			b = strconv.AppendInt(b, int64(year), 10)
		case 'm':
			b = appendPadded(b, month, 2)
		case 'd':
			b = appendPadded(b, day, 2)
		case 'B':
			b = append(b, months[month-1]...)
		case 'b':
			b = append(b, months[month-1][:3]...)
		case 'A':
			b = append(b, weekdays[m.day.weekday()]...)
		case 'a':
			b = append(b, weekdays[m.day.weekday()][:3]...)
		case 'H':
			b = appendPadded(b, int(m.clock/hour), 2)
		case 'M':
			b = appendPadded(b, int(m.clock/minute%60), 2)
		case 'S':
			b = appendPadded(b, int(m.clock/second%60), 2)
		case 'f':
			b = appendPadded(b, int(m.clock/milli%1000), 3)
		case 'z':
			b = m.appendOffset(b, "")
		default:
			b = append(b, '%', format[i])
		}
	}
	return b
}

// readMoment reads the output of text.
func readMoment(text string) (m moment, err error) {
	const dateLength, clockLength = len("2022-12-31"), len("23:59:59")
	if len(text) <= dateLength || text[dateLength] != ' ' {
		return m, fmt.Errorf("%.40q is not a date with a time", text)
	}
	if m.day, err = readDate(text[:dateLength]); err != nil {
		return m, err
	}
	clock := text[dateLength+1:]
	if i := strings.LastIndexAny(clock, "+-"); i >= clockLength {
		zone, ok := readOffset(clock[i:])
		if !ok {
			return m, fmt.Errorf("%.40q has no time zone like +05:30", text)
		}
		m.zoned, m.offset, clock = true, zone, clock[:i]
	}
	m.clock, err = readClock(clock)
	return m, err
}

// readOffset reads a time zone as +05:30.
func readOffset(text string) (minutes int, ok bool) {
	hours, rest, found := strings.Cut(text[1:], ":")
	h, ok1 := readNatural(hours)
	m, ok2 := readNatural(rest)
	if minutes = 60*h + m; text[0] == '-' {
		minutes = -minutes
	}
	return minutes, found && ok1 && ok2 && h < 24 && m < 60
}

// readClock reads a time of the day as 23:59:59 or 23:59:59.999999.
func readClock(text string) (clock int64, err error) {
	const whole, longest = len("23:59:59"), len("23:59:59.999999")
	length, ok := int64(0), false
	if len(text) == whole || len(text) > whole+1 && len(text) <= longest && text[whole] == '.' {
		length, ok = readLength(text[:whole])
	}
	if ok && len(text) > whole {
		var micros int
		micros, ok = readNatural((text[whole+1:] + "00000")[:6])
		length += int64(micros)
	}
	if !ok || length >= wholeDay {
		return 0, fmt.Errorf("%.40q is not a time of the day like 23:59:59.999", text)
	}
	return length, nil
}

// readLength reads hours and minutes, optional seconds, and an optional fraction of three
// digits, as 1:02, 01:02:03 or 01:02:03.456.
func readLength(text string) (length int64, ok bool) {
	hours, rest, _ := strings.Cut(text, ":")
	minutes, seconds, hasSeconds := strings.Cut(rest, ":")
	h, ok1 := answer.ReadInt(hours)
	m, ok2 := answer.ReadInt(minutes)
	const mostHours = 1_000_000
	if !ok1 || !ok2 || h < 0 || h > mostHours || m < 0 || m > 59 {
		return 0, false
	}
	length = h*hour + m*minute
	if !hasSeconds {
		return length, true
	}
	seconds, fraction, hasFraction := strings.Cut(seconds, ".")
	s, ok := answer.ReadInt(seconds)
	if !ok || s < 0 || s > 59 {
		return 0, false
	}
	length += s * second
	if !hasFraction {
		return length, true
	}
	millis, ok := readNatural(fraction)
	return length + int64(millis)*milli, ok && len(fraction) == 3
}

// A layout is a format for two times, with the forms of the answer.
type layout struct {
	format, expected string
	unit             int64 // the smallest unit shown, in microseconds
}

// The forms of answers. Those for times of day begin with the form for dates.
const inDaysForm = "D days"

// An answerForm is a form of answers, with its instruction in the question.
type answerForm struct{ name, instruction string }

var answerForms = []answerForm{
	{"HH:MM", " Answer with hours and minutes in the form HH:MM, for example 09:05."},
	{"HH:MM:SS", " Answer with hours, minutes and seconds in the form HH:MM:SS, for example 09:05:07."},
	{"HH:MM:SS.mmm", " Answer with hours, minutes, seconds and milliseconds in the form HH:MM:SS.mmm, for example 09:05:07.250."},
	{inDaysForm, " Answer with the number of days in the form D days, for example 417 days."},
	{"D days, HH:MM", " Answer with days, hours and minutes in the form D days, HH:MM, for example 417 days, 09:05."},
	{"D days, HH:MM:SS", " Answer with days, hours, minutes and seconds in the form D days, HH:MM:SS, for example 417 days, 09:05:07."},
}

// layouts are the formats of times, by kind. Months and weekdays may have three letters; a
// month in digits stands after its year.
var layouts = map[string][]layout{
	kindTime:    {{"%H:%M", "HH:MM", minute}},
	kindSeconds: {{"%H:%M:%S", "HH:MM:SS", second}},
	kindMillis:  {{"%H:%M:%S.%f", "HH:MM:SS.mmm", milli}},
	kindDate: {
		{"%Y-%m-%d", inDaysForm, wholeDay},
		{"%Y-%m-%d (%A)", inDaysForm, wholeDay},
		{"%B %d, %Y", inDaysForm, wholeDay},
		{"%A, %B %d, %Y", inDaysForm, wholeDay},
		{"%d %B %Y", inDaysForm, wholeDay},
		{"%d %b %Y", inDaysForm, wholeDay},
		{"%a %b %d %Y", inDaysForm, wholeDay},
	},
	kindDatetime: {
		{"%Y-%m-%d %H:%M", "D days, HH:MM", minute},
		{"%d %B %Y, %H:%M", "D days, HH:MM", minute},
		{"%A, %B %d, %Y at %H:%M", "D days, HH:MM", minute},
		{"%a %b %d %Y, %H:%M", "D days, HH:MM", minute},
		{"%Y-%m-%d %H:%M:%S", "D days, HH:MM:SS", second},
		{"%Y-%m-%d (%A) %H:%M:%S", "D days, HH:MM:SS", second},
		{"%B %d, %Y at %H:%M:%S", "D days, HH:MM:SS", second},
		{"%d %b %Y %H:%M:%S", "D days, HH:MM:SS", second},
	},
	kindZone: {
		{"%Y-%m-%d %H:%M %z", "D days, HH:MM", minute},
		{"%d %B %Y, %H:%M (UTC%z)", "D days, HH:MM", minute},
		{"%A, %B %d, %Y at %H:%M UTC%z", "D days, HH:MM", minute},
		{"%Y-%m-%d %H:%M:%S %z", "D days, HH:MM:SS", second},
		{"%Y-%m-%d (%A) %H:%M:%S %z", "D days, HH:MM:SS", second},
		{"%B %d, %Y at %H:%M:%S UTC%z", "D days, HH:MM:SS", second},
	},
}
