package pyvalue

import (
	"fmt"
	"strings"
	"time"
)

// Strftime is Python's datetime.strftime, for a time without a zone, in the locale C.
func (r *Runtime) Strftime(at time.Time, format string) (string, error) {
	var b strings.Builder
	for rest := format; rest != ""; {
		before, after, found := strings.Cut(rest, "%")
		b.WriteString(before)
		if rest = after; !found {
			break
		}
		if rest == "" {
			b.WriteByte('%')
			break
		}
		n := 1
		if rest[0] == '-' && len(rest) > 1 {
			n = 2
		}
		text, known := timePart(at, rest[:n])
		if !known {
			return "", fmt.Errorf("strftime: %%%s is not supported", strings.ToValidUTF8(rest[:n], "?"))
		}
		b.WriteString(text)
		rest = rest[n:]
		if err := r.Room(b.Len()); err != nil {
			return "", err
		}
	}
	return b.String(), nil
}

// timePart returns the text of a directive of strftime.
func timePart(at time.Time, directive string) (text string, known bool) {
	layouts := map[string]string{
		"a": "Mon", "A": "Monday", "b": "Jan", "B": "January", "h": "Jan", "c": "Mon Jan _2 15:04:05 2006",
		"d": "02", "-d": "2", "D": "01/02/06", "e": "_2", "F": "2006-01-02", "H": "15", "I": "03", "-I": "3", "j": "002",
		"m": "01", "-m": "1", "M": "04", "-M": "4", "p": "PM", "r": "03:04:05 PM", "R": "15:04", "S": "05", "-S": "5", "T": "15:04:05",
		"x": "01/02/06", "X": "15:04:05", "y": "06", "Y": "2006",
		"n": "\n", "t": "\t", "%": "%",
	}
	if layout, has := layouts[directive]; has {
		return at.Format(layout), true
	}
	switch directive {
	case "f":
		return fmt.Sprintf("%06d", at.Nanosecond()/1000), true
	case "-H":
		return fmt.Sprint(at.Hour()), true
	case "-j":
		return fmt.Sprint(at.YearDay()), true
	case "u":
		return fmt.Sprint((int(at.Weekday())+6)%7 + 1), true
	case "w":
		return fmt.Sprint(int(at.Weekday())), true
	case "z", "Z":
		return "", true // without a zone
	}
	return "", false
}
