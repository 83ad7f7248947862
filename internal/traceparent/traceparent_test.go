package traceparent_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/quintain-rl/quintain/internal/traceparent"
)

const good = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"

// Valid headers come back as they were; others name no span, as W3C demands.
func TestParse(t *testing.T) {
	for _, c := range []struct{ in, want string }{
		{good, good},
		{" " + good + " ", good},
		{strings.TrimSuffix(good, "01") + "00", strings.TrimSuffix(good, "01") + "00"},
		{strings.TrimSuffix(good, "01") + "ff", good},
		{"cc" + good[2:] + "-what-the-future-holds", good},
		{"cc" + good[2:] + ".what", ""},
		{good + "-more", ""},
		{"ff" + good[2:], ""},
		{strings.ToUpper(good), ""},
		{strings.Replace(good, "b7ad6b7169203331", "0000000000000000", 1), ""},
		{strings.Replace(good, "0af7651916cd43dd8448eb211c80319c", strings.Repeat("0", 32), 1), ""},
		{strings.Replace(good, "0af", "0zf", 1), ""},
		{strings.Replace(good, "-b", "b-", 1), ""},
		{good[:54], ""},
		{"", ""},
	} {
		got := traceparent.Parse(c.in)
		if got.String() != c.want || got.Valid() != (c.want != "") {
			t.Errorf("Parse(%q) is %q, want %q", c.in, got, c.want)
		}
	}
}

func FuzzParse(f *testing.F) {
	f.Add(good)
	f.Fuzz(func(t *testing.T, s string) {
		c := traceparent.Parse(s)
		if again := traceparent.Parse(c.String()); again != c {
			t.Errorf("%q: %v, and read again %v", s, c, again)
		}
	})
}

// Every process names the spans of a problem alike, and another run names them otherwise.
func TestASamplerNamesAndChooses(t *testing.T) {
	one := traceparent.Sampler(1)
	if a, b := one.Of("run", "problem"), one.Of("run", "problem"); a != b || !a.Valid() || !a.Sampled {
		t.Errorf("%v and %v", a, b)
	}
	root := one.Of("run", "problem")
	if seat := one.Of("run", "problem@1"); seat != root.Seat("1") || seat.Trace != root.Trace || seat == root || seat == root.Seat("0") {
		t.Errorf("the group of a seat is %v, below %v", seat, root)
	}
	for _, other := range []traceparent.Context{one.Of("other", "problem"), one.Of("run", "other")} {
		if other.Trace == root.Trace {
			t.Error("two problems share a trace")
		}
	}
	if a, b := root.Child("a"), root.Child("b"); a.Trace != root.Trace || a.Span == b.Span || a.Span == root.Span || a != root.Child("a") || a.Child("a") == b.Child("a") {
		t.Errorf("children %v and %v of %v", a, b, root)
	}
	if (traceparent.Context{}).Child("a").Valid() {
		t.Error("no span has a child")
	}
	for _, c := range []struct {
		share       traceparent.Sampler
		least, most int
	}{{0, 0, 0}, {0.1, 60, 140}, {0.5, 420, 580}, {1, 1000, 1000}} {
		n := 0
		for i := range 1000 {
			if c.share.Of("run", fmt.Sprint(i)).Sampled {
				n++
			}
		}
		if n < c.least || n > c.most {
			t.Errorf("a share of %v chooses %d of 1000", c.share, n)
		}
	}
}

// Without a span, nothing is allocated.
func TestNothingCostsNothing(t *testing.T) {
	n := testing.AllocsPerRun(100, func() {
		ctx := traceparent.With(t.Context(), traceparent.Sampler(0).Of("run", "problem").Child("turn"))
		if traceparent.From(ctx).Valid() {
			t.Error("there is a span")
		}
	})
	if n != 0 {
		t.Errorf("%v allocations", n)
	}
	if c := traceparent.Parse(good); traceparent.From(traceparent.With(t.Context(), c)) != c {
		t.Error("the span is lost")
	}
}
