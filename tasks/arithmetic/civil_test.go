package arithmetic

import (
	"testing"
	"time"
)

// Every day of the years 1 to 9999 agrees with the standard library.
func TestCivilDays(t *testing.T) {
	at := time.Date(firstYear, 1, 1, 0, 0, 0, 0, time.UTC)
	last := dayOf(lastYear, 12, 31)
	for d := dayOf(firstYear, 1, 1); d <= last; d++ {
		year, month, day := d.date()
		wantYear, wantMonth, wantDay := at.Date()
		if year != wantYear || month != int(wantMonth) || day != wantDay || dayOf(year, month, day) != d || int(d) != int(at.Unix()/86400) {
			t.Fatalf("day %d is %d-%d-%d, want %v", d, year, month, day, at)
		}
		if weekdays[d.weekday()] != at.Weekday().String() || months[month-1] != at.Month().String() {
			t.Fatalf("%v is a %s of %s", at, weekdays[d.weekday()], months[month-1])
		}
		at = at.AddDate(0, 0, 1)
		if _, _, next := at.Date(); (next == 1) != (day == daysIn(year, month)) {
			t.Fatalf("month %d of %d has %d days", month, year, daysIn(year, month))
		}
	}
	if year, _, _ := at.Date(); year != lastYear+1 {
		t.Errorf("the last day is in %d", year-1)
	}
}

func TestReadDate(t *testing.T) {
	for _, good := range []string{"2024-02-29", "0001-01-01", "9999-12-31", "1900-02-28"} {
		d, err := readDate(good)
		if got := string(appendDate(nil, d)); err != nil || got != good {
			t.Errorf("%s is read as %s, error %v", good, got, err)
		}
	}
	for _, bad := range []string{"", "2023-02-29", "1900-02-29", "2022-13-01", "2022-00-01", "2022-01-00", "2022-04-31", "0000-01-01", "2022-1-01", "20221-1-01", "2022/01/01", "2022-01-0x", "+022-01-01"} {
		if d, err := readDate(bad); err == nil {
			t.Errorf("%s is read as %s", bad, appendDate(nil, d))
		}
	}
}

func TestAppendPadded(t *testing.T) {
	for _, test := range []struct {
		n, digits int
		want      string
	}{{0, 1, "0"}, {0, 2, "00"}, {9, 2, "09"}, {10, 2, "10"}, {123, 2, "123"}, {7, 4, "0007"}, {100, 4, "0100"}, {12345, 4, "12345"}} {
		if got := string(appendPadded(nil, test.n, test.digits)); got != test.want {
			t.Errorf("appendPadded(%d, %d) = %s, want %s", test.n, test.digits, got, test.want)
		}
	}
}
