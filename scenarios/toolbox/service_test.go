package toolbox

import (
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/quintain-rl/quintain"
	"github.com/quintain-rl/quintain/task/rng"
)

// served makes service number index of a level.
func served(t testing.TB, level, index int) service {
	t.Helper()
	v, err := makeService(serviceDesk.Levels[level], rng.New(uint64(index), "service test", fmt.Sprint(level)))
	if err != nil {
		t.Fatal(err)
	}
	return v
}

// A reader decides by the text of a manual alone, in its first wording.
type reader struct{ facts map[string]string }

var clauseForm = regexp.MustCompile(`^the (reason|package|category|payment|shipping|customer's tier|price|delivery|customer) (is not|was not by|was not|does not want|is more than|is at most|was more than|was at most|is|was by|was|wants) (.+?)( euros| days ago)?$`)

// holds tells whether a clause is true.
func (r reader) holds(t *testing.T, text string) bool {
	m := clauseForm.FindStringSubmatch(text)
	if m == nil {
		t.Fatalf("nobody can read %q", text)
	}
	fact := r.facts[m[1]]
	have, errHave := strconv.Atoi(fact)
	limit, errLimit := strconv.Atoi(m[3])
	switch {
	case errHave == nil && errLimit == nil && strings.HasSuffix(m[2], "more than"):
		return have > limit
	case errHave == nil && errLimit == nil && strings.HasSuffix(m[2], "at most"):
		return have <= limit
	case strings.Contains(m[2], "not"):
		return fact != m[3]
	}
	return fact == m[3]
}

// action is what the text wants.
func (r reader) action(t *testing.T, text string) (action string) {
	for _, line := range strings.Split(text, "\n")[1:] {
		_, line, _ = strings.Cut(line, ". ")
		main, exceptions, _ := strings.Cut(strings.TrimSuffix(line, "."), ". But ")
		when, do, _ := strings.Cut(strings.TrimPrefix(main, "If "), ": ")
		fits := true
		for _, c := range strings.Split(when, " and ") {
			fits = fits && r.holds(t, c)
		}
		if !fits {
			continue
		}
		if action != "" {
			t.Fatalf("two rules fit in %s", text)
		}
		action = do
		for _, e := range strings.Split(exceptions, "; ") {
			if cond, other, has := strings.Cut(strings.TrimPrefix(e, "if "), ": "); has && r.holds(t, cond) {
				action = other
				break
			}
		}
	}
	return action
}

func TestTheTextOfAManualDecidesAlike(t *testing.T) {
	t.Parallel()
	for level := range serviceDesk.Levels {
		for index := range 10 {
			v := served(t, level, index)
			all := v.Manual.situations()
			r := rng.New(uint64(index), "situations")
			for range 100 {
				s := v.Manual.complete(rng.Pick(r, all), r)
				facts := map[string]string{"price": fmt.Sprint(s[price]), "delivery": fmt.Sprint(s[days])}
				for f, name := range map[int]string{reason: "reason", wish: "customer", deskOpened: "package", category: "category", payment: "payment", shipping: "shipping", tier: "customer's tier"} {
					facts[name] = features[f].values[s[f]]
				}
				text := v.Manual.words(0)
				if got, want := (reader{facts}).action(t, text), v.Manual.action(s); got != want {
					t.Fatalf("level %d, index %d: in %v a reader decides %q, and we %q:\n%s", level, index, facts, got, want, text)
				}
			}
		}
	}
}

func TestNoActionIsRightTooOften(t *testing.T) {
	t.Parallel()
	const n = 300
	for level, p := range serviceDesk.Levels {
		count := map[string]int{}
		changes := 0
		for index := range n {
			v := served(t, level, index)
			right := v.right()
			if len(right) == 0 {
				right = []string{unverified}
			}
			if same := slices.Compact(slices.Clone(right)); len(same) == 1 {
				count[same[0]]++
			}
			if v.changed() {
				changes++
			}
		}
		for action, times := range count {
			if times > n*25/100 { // 0.2, a sixth and four standard deviations
				t.Errorf("level %d: %s is right in %d of %d problems", level, action, times, n)
			}
		}
		if p.Changes != (changes > n/2) {
			t.Errorf("level %d: a changed wish decides %d of %d problems", level, changes, n)
		}
		t.Logf("level %d: %v, %d changes", level, count, changes)
	}
}

// twoRequests is a service with two requests: the wish for the lamp changes with the coat's order.
func twoRequests() service {
	return service{
		Manual: manual{
			{When: []test{{Feature: wish, Value: 0}}, Do: half, Except: []except{{test{Feature: price, Value: 100}, refuse}}},
			{When: []test{{Feature: wish, Value: 0, Not: true}}, Do: repair},
		},
		Worth: 10, Verify: true, Code: "12345",
		Customers: []customerRecord{{ID: "C1", Name: "Ada", Code: "12345"}, {ID: "C2", Name: "Ben", Code: "54321"}},
		Orders: []orderRecord{
			{ID: "R1", Item: "coat", Price: 51, Days: 3}, {ID: "R2", Item: "radio", Category: 2, Price: 20, Days: 3}, {ID: "R3", Customer: 1, Item: "kite", Category: 3, Price: 9, Days: 3},
		},
		Requests: []request{{Wish: 0}, {Wish: 2, Later: 0}},
	}
}

// do plays calls such as `ask {"topic":"code"}`, and returns the last result and what is wrong in the end.
func do(t *testing.T, v service, calls []string) (last, fault string) {
	t.Helper()
	w := v.World().(*serviceWorld)
	for _, c := range calls {
		name, args, _ := strings.Cut(c, " ")
		m, err := w.Tools().Answer(t.Context(), quintain.ToolCall{Name: name, Arguments: args})
		if err != nil {
			t.Fatal(err)
		}
		last = m.Content
	}
	return last, w.Judge("").State
}

func TestServiceIsJudged(t *testing.T) {
	t.Parallel()
	verify, coat, told := `verify {"customer":"C1","code":"12345"}`, `resolve {"order":"R1","action":"half_refund"}`, `tell {"message":"half_refund","order":"R1","amount":25}`
	radio, radioTold := `resolve {"order":"R2","action":"half_refund"}`, `tell {"message":"half_refund","order":"R2","amount":10}`
	for _, test := range []struct {
		why   string
		calls []string
		want  string // part of the fault; empty: none
	}{
		{"all is right", []string{verify, coat, told, radio, radioTold}, ""},
		{"records of the customer may be read", []string{verify, `customer {"customer":"C1"}`, `orders {"customer":"C1"}`, `order {"order":"R2"}`, coat, told, radio, radioTold}, ""},
		{"nothing is done", nil, `"R1" is "", not "half_refund"`},
		{"nothing is told", []string{verify, coat, radio}, `"told" is ""`},
		{"a record is read before", []string{`order {"order":"R1"}`, verify, coat, told, radio, radioTold}, "looks up an order"},
		{"a customer is read before", []string{`customer {"customer":"C1"}`, verify, coat, told, radio, radioTold}, "looks up the record"},
		{"an order is resolved before", []string{coat, verify, told, radio, radioTold}, "resolves an order"},
		{"it is told before", []string{told, verify, coat, radio, radioTold}, "tells a result"},
		{"another customer is read", []string{verify, `orders {"customer":"C2"}`, coat, told, radio, radioTold}, "looks up orders"},
		{"another customer is verified", []string{`verify {"customer":"C2","code":"54321"}`, coat, told, radio, radioTold}, "not verified"},
		{"the wish before the change is served", []string{verify, coat, told, `resolve {"order":"R2","action":"repair"}`, `tell {"message":"repair","order":"R2"}`}, `"R2" is "repair"`},
		{"the amount is wrong", []string{verify, coat, `tell {"message":"half_refund","order":"R1","amount":26}`, radio, radioTold}, "26 euros"},
		{"the order of the requests is wrong", []string{verify, radio, radioTold, coat, told}, `"told"`},
		{"unverified is told to one who is", []string{`tell {"message":"unverified"}`}, "is"},
	} {
		last, fault := do(t, twoRequests(), test.calls)
		if test.want == "" && fault != "" || !strings.Contains(fault, test.want) {
			t.Errorf("%s: %q, want %q; last: %s", test.why, fault, test.want, last)
		}
	}
	wrong := twoRequests()
	wrong.Code = "99999"
	if _, fault := do(t, wrong, []string{`verify {"customer":"C1","code":"99999"}`, `tell {"message":"unverified"}`}); fault != "" {
		t.Errorf("a customer with another code: %s", fault)
	}
	if _, fault := do(t, wrong, []string{coat, told, radio, radioTold}); fault == "" {
		t.Error("a customer with another code is served")
	}
}

func TestTheCustomerAnswers(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		calls []string
		want  string
	}{
		{[]string{`ask {"topic":"number"}`}, `"My number is C1."`},
		{[]string{`ask {"topic":"wish"}`}, `"Which of my items do you mean?"`},
		{[]string{`ask {"topic":"wish","item":"Radio"}`}, `"I want a repair."`},
		{[]string{`resolve {"order":"R1","action":"repair"}`, `ask {"topic":"wish","item":"radio"}`}, `"I want money back."`},
		{
			[]string{`resolve {"order":"R1","action":"repair"}`, `tell {"message":"repair","order":"R1"}`},
			`"Thank you. The next is the radio. I have changed my mind about what I want there: now it is money back."`,
		},
		{[]string{`tell {"message":"refuse","order":"R1"}`}, `"Thank you. The next is the radio."`},
		{[]string{`tell {"message":"unverified"}`, `ask {"topic":"code"}`}, "The customer has left."},
		{[]string{`tell {"message":"refund","order":"R9"}`}, `Error: argument order: there is no order "R9"`},
		{[]string{`resolve {"order":"R1","action":"repair"}`, `resolve {"order":"R1","action":"refund"}`}, "Error: argument order: R1 is already resolved by repair"},
		{[]string{`order {"order":"R2"}`}, "order: R2\ncustomer: C1\nitem: radio\ncategory: electronics\nprice: 20 euros\npayment: card\nshipping: standard\ndelivered on: 2024-06-27"},
	} {
		if last, _ := do(t, twoRequests(), test.calls); last != test.want {
			t.Errorf("%v: %s, want %s", test.calls, last, test.want)
		}
	}
}

// What the customer knows and nobody has asked for is in no message.
func TestTheCardIsHidden(t *testing.T) {
	t.Parallel()
	for level := range serviceDesk.Levels {
		for index := range 10 {
			hidden(t, served(t, level, index))
		}
	}
}

// hidden checks one service.
func hidden(t *testing.T, v service) {
	t.Helper()
	other := v
	other.Requests = slices.Clone(v.Requests)
	for i := range other.Requests {
		q := &other.Requests[i]
		q.Reason, q.Wish, q.Later, q.Opened = (q.Reason+1)%4, (q.Wish+1)%3, (q.Later+1)%3, 1-q.Opened
	}
	other.Code = "00000"
	if v.Goal(1) != other.Goal(1) {
		t.Errorf("the goal tells what the customer knows")
	}
	if v.Calls() != other.Calls() {
		t.Errorf("the limit of calls tells what the customer knows: %d and %d", v.Calls(), other.Calls())
	}
	one, errOne := json.Marshal(v.World().Tools().Offer())
	two, errTwo := json.Marshal(other.World().Tools().Offer())
	if errOne != nil || errTwo != nil || string(one) != string(two) {
		t.Errorf("the tools tell what the customer knows")
	}
}

var _ World = (*serviceWorld)(nil)

func BenchmarkMakeService(b *testing.B) {
	for level := range serviceDesk.Levels {
		b.Run(fmt.Sprint(level), func(b *testing.B) {
			for i := range b.N {
				served(b, level, i)
			}
		})
	}
}
