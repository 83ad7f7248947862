package toolbox

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/quintain-rl/quintain"
	"github.com/quintain-rl/quintain/scenario"
	"github.com/quintain-rl/quintain/task"
	"github.com/quintain-rl/quintain/task/rng"
)

// serviceDesk serves customers by the rules of a shop.
var serviceDesk = Spec[serviceParams, service]{
	Name: "service_desk",
	Doc: "Serve a customer by a manual of rules with exceptions: ask, look up records, act, and tell the result. The customer is a program, who may change a wish when an order changes. " +
		"The records and all messages in the end must be those that the manual wants.",
	Source:  "Our own.",
	Version: 1,
	Levels: []serviceParams{
		{Rules: 2, Requests: 1},
		{Rules: 3, Exceptions: 2, Requests: 1},
		{Rules: 4, Exceptions: 3, Requests: 1, Verify: true},
		{Rules: 5, Exceptions: 4, Requests: 2, Verify: true},
		{Rules: 6, Exceptions: 6, Requests: 2, Verify: true, Changes: true},
		{Rules: 7, Exceptions: 7, Requests: 3, Verify: true, Changes: true},
	},
	Make:  makeService,
	Guess: []float64{0, 0, impostors, impostors, impostors, impostors}, // a customer who is told at once that there is no verification
}

// impostors is the chance that a customer cannot be verified.
const impostors = 0.15

// serviceParams are the parameters of a level.
type serviceParams struct {
	Rules      int  `json:"rules" want:"2 to 8"`
	Exceptions int  `json:"exceptions" want:"0 to rules"`
	Requests   int  `json:"requests" want:"1 to 3"` // of the customer, one after another
	Verify     bool `json:"verify"`                 // the customer must be verified first, and some cannot be
	Changes    bool `json:"changes"`                // some customers change a wish when an order changes
}

// A service is a manual, the records, and a customer with requests.
type service struct {
	Manual    manual           `json:"manual"`
	Worth     int              `json:"worth"` // of a voucher, in euros
	Customers []customerRecord `json:"customers"`
	Orders    []orderRecord    `json:"orders"`
	Verify    bool             `json:"verify"`
	Code      string           `json:"code"`     // that the customer gives; the customer is the first of the records
	Requests  []request        `json:"requests"` // about the first orders
	Manner    int              `json:"manner"`   // in which the customer talks
}

// A customerRecord is what the shop knows of a customer.
type customerRecord struct {
	ID   string `json:"id"`
	Name string `json:"name"`
	Code string `json:"code"`
	Tier int    `json:"tier"`
}

// An orderRecord is what it knows of an order. The numbers are values of features.
type orderRecord struct {
	ID       string `json:"id"`
	Customer int    `json:"customer"`
	Item     string `json:"item"`
	Category int    `json:"category"`
	Price    int    `json:"price"`
	Days     int    `json:"days"` // since it was delivered
	Payment  int    `json:"payment"`
	Shipping int    `json:"shipping"`
}

// A request is what the customer knows.
type request struct {
	Reason int `json:"reason"`
	Wish   int `json:"wish"`
	Opened int `json:"opened"`
	Later  int `json:"later"` // the wish once the order of the request before has been changed
}

// items by category.
var items = [][]string{
	strings.Fields("coat dress jacket scarf shirt sweater"),
	strings.Fields("blender kettle mixer pan toaster grill"),
	strings.Fields("camera headset monitor printer radio tablet"),
	strings.Fields("dollhouse drone kite puzzle robot scooter"),
}

// situation is that of a request, with a wish.
func (v service) situation(i, wanted int) (s situation) {
	q, o := v.Requests[i], v.Orders[i]
	return situation{
		reason: q.Reason, wish: wanted, deskOpened: q.Opened, category: o.Category, price: o.Price, days: o.Days, payment: o.Payment, shipping: o.Shipping,
		tier: v.Customers[0].Tier,
	}
}

// right returns the action for each request, in their order. nil: the customer cannot be verified.
func (v service) right() (all []string) {
	if v.Verify && v.Code != v.Customers[0].Code {
		return nil
	}
	for i, q := range v.Requests {
		wanted := q.Wish
		if i > 0 && all[i-1] != refuse {
			wanted = q.Later
		}
		all = append(all, v.Manual.action(v.situation(i, wanted)))
	}
	return all
}

// amount is what a message about an action tells in euros.
func (v service) amount(i int, action string) int {
	switch action {
	case refund:
		return v.Orders[i].Price
	case half:
		return v.Orders[i].Price / 2
	case voucher:
		return v.Worth
	}
	return 0
}

// makeService draws a manual, and requests that each of its clauses is as likely to decide.
func makeService(p serviceParams, r *rng.Rand) (v service, err error) {
	const patience = 100
	for range patience {
		wanted := -1
		if p.Changes {
			wanted = wish
		}
		m, cases := drawManual(p.Rules, p.Exceptions, wanted, r)
		if cases == nil {
			continue
		}
		v = service{Manual: m, Worth: 5 * r.Between(1, 10), Verify: p.Verify, Manner: r.Between(0, deskWordings-1)}
		v.records(p, r)
		if p.Changes && r.Chance(0.7) {
			if v.change(cases, r); !v.changed() {
				continue
			}
		} else if !v.place(cases, r) {
			continue
		}
		v.Code = v.Customers[0].Code
		if p.Verify && r.Chance(impostors) {
			v.Code = drawCode(r)
		}
		return v, task.Check(v)
	}
	return v, errors.New("no manual of these parameters decides requests in all its ways")
}

// deskWordings is the number of wordings of each text.
const deskWordings = 3

// people are the names of customers.
var people = strings.Fields("Ada Ben Cleo Dan Eva Finn Gina Hugo Ida Jan Kira Leo")

// records draws the customers and their orders, and requests about the first of these.
func (v *service) records(p serviceParams, r *rng.Rand) {
	names := rng.Sample(r, people, 3)
	ids := rng.Different(r, 3, 100, 999)
	for i, name := range names {
		v.Customers = append(v.Customers, customerRecord{ID: fmt.Sprintf("C%d", ids[i]), Name: name, Code: drawCode(r), Tier: r.Between(0, 2)})
	}
	numbers := rng.Different(r, p.Requests+6, 1000, 9999)
	for i, n := range numbers {
		o := orderRecord{
			ID: fmt.Sprintf("R%d", n), Category: r.Between(0, len(items)-1), Price: r.Between(5, 300), Days: r.Between(1, 60), Payment: r.Between(0, 2), Shipping: r.Between(0, 1),
		}
		if i >= p.Requests {
			o.Customer = i % 3
		}
		v.Orders = append(v.Orders, o)
	}
	v.Requests = make([]request, p.Requests)
}

func drawCode(r *rng.Rand) string { return fmt.Sprint(r.Between(10_000, 99_999)) }

// place draws the situations of the requests. All are of one customer, and so of one tier; without
// fits, there are none.
func (v *service) place(cases map[clause][]situation, r *rng.Rand) (fits bool) {
	tierOf := r.Between(0, 2)
	for i := range v.Requests {
		s, has := drawSituation(v.Manual, cases, tierOf, r)
		if !has {
			return false
		}
		if i == 0 && !v.Manual.uses(tier) {
			tierOf = s[tier]
		}
		s[tier] = tierOf
		v.put(i, s)
	}
	v.Customers[0].Tier = tierOf
	v.nameItems(r)
	return true
}

// drawSituation draws a clause, and a situation that it decides, for a customer of a tier.
func drawSituation(m manual, cases map[clause][]situation, tierOf int, r *rng.Rand) (s situation, has bool) {
	var clauses []clause
	for i, one := range m {
		for j := -1; j < len(one.Except); j++ {
			clauses = append(clauses, clause{i, j})
		}
	}
	of := cases[rng.Pick(r, clauses)]
	if m.uses(tier) {
		of = slices.DeleteFunc(slices.Clone(of), func(s situation) bool { return s[tier] != tierOf })
	}
	if len(of) == 0 {
		return s, false
	}
	return m.complete(rng.Pick(r, of), r), true
}

// put gives a request and its order a situation.
func (v *service) put(i int, s situation) {
	v.Requests[i] = request{Reason: s[reason], Wish: s[wish], Opened: s[deskOpened], Later: s[wish]}
	o := &v.Orders[i]
	o.Category, o.Price, o.Days, o.Payment, o.Shipping = s[category], s[price], s[days], s[payment], s[shipping]
}

// change places the requests, and lets the customer change the wish of one after the first.
func (v *service) change(cases map[clause][]situation, r *rng.Rand) {
	if !v.place(cases, r) {
		return
	}
	q := &v.Requests[r.Between(1, len(v.Requests)-1)]
	q.Later = (q.Wish + r.Between(1, 2)) % 3
}

// changed reports whether a changed wish changes the right action.
func (v service) changed() bool {
	v.Verify = false
	still := v
	still.Requests = slices.Clone(v.Requests)
	for i := range still.Requests {
		still.Requests[i].Later = still.Requests[i].Wish
	}
	return v.Orders[0].Item != "" && !slices.Equal(v.right(), still.right())
}

// nameItems gives all orders items of their categories, each another one.
func (v *service) nameItems(r *rng.Rand) {
	left := make([][]string, len(items))
	for i := range left {
		left[i] = rng.Sample(r, items[i], len(items[i]))
	}
	for i := range v.Orders {
		o := &v.Orders[i]
		for len(left[o.Category]) == 0 {
			o.Category = (o.Category + 1) % len(items) // of an order that no request is about
		}
		o.Item, left[o.Category] = left[o.Category][0], left[o.Category][1:]
	}
}

// Check refuses a record that is no service.
func (v service) Check() error {
	p := serviceParams{Rules: max(len(v.Manual), 2), Requests: len(v.Requests)}
	switch err := task.Check(p); {
	case err != nil:
		return err
	case len(v.Manual) < 1 || len(v.Customers) < 1 || len(v.Customers) > 10 || len(v.Orders) < len(v.Requests) || len(v.Orders) > 20:
		return errors.New("there are no rules, or too few or too many records")
	case v.Worth < 0 || v.Worth > 1000 || v.Manner < 0 || v.Manner >= deskWordings || len(v.Code) > 20:
		return errors.New("worth, manner or code is out of range")
	}
	for _, r := range v.Manual {
		if err := r.check(); err != nil {
			return err
		}
	}
	if _, sound := v.Manual.cases(); !sound {
		return errors.New("the manual has no rule for some situation, or several, or an exception that decides nothing")
	}
	return v.checkRecords()
}

func (r rule) check() error {
	if len(r.When) > 4 || len(r.Except) > 8 || !slices.Contains(actions, r.Do) {
		return errors.New("a rule has too many parts, or no action")
	}
	for _, t := range r.When {
		if err := t.check(); err != nil {
			return err
		}
	}
	for _, e := range r.Except {
		if err := e.If.check(); err != nil || !slices.Contains(actions, e.Do) {
			return errors.New("an exception has no test or no action")
		}
	}
	return nil
}

// checkRecords refuses records that no shop has.
func (v service) checkRecords() error {
	seen := map[string]bool{}
	for _, c := range v.Customers {
		if seen[c.ID] || !plain(c.ID) || !plain(c.Name) || !plain(c.Code) || c.Tier < 0 || c.Tier > 2 {
			return fmt.Errorf("the customer %.20q is invalid", c.ID)
		}
		seen[c.ID] = true
	}
	for i, o := range v.Orders {
		if seen[o.ID] || !plain(o.ID) || !slices.Contains(slices.Concat(items...), o.Item) || seen[o.Item] || o.Customer < 0 || o.Customer >= len(v.Customers) ||
			i < len(v.Requests) && o.Customer != 0 {
			return fmt.Errorf("the order %.20q is invalid", o.ID)
		}
		seen[o.ID], seen[o.Item] = true, true
		for f, value := range map[int]int{category: o.Category, price: o.Price, days: o.Days, payment: o.Payment, shipping: o.Shipping} {
			if !features[f].has(value) {
				return fmt.Errorf("the order %.20q has no %s %d", o.ID, features[f].name, value)
			}
		}
	}
	for i, q := range v.Requests {
		if !features[reason].has(q.Reason) || !features[wish].has(q.Wish) || !features[wish].has(q.Later) || !features[deskOpened].has(q.Opened) {
			return fmt.Errorf("request %d is invalid", i+1)
		}
	}
	return nil
}

// plain reports whether a text is a short word.
func plain(text string) bool {
	return text != "" && len(text) <= 20 && !strings.ContainsFunc(text, func(r rune) bool { return r < '0' || r > 'z' })
}

// has reports whether a feature has a value.
func (f feature) has(value int) bool {
	if f.values == nil {
		return value >= f.low && value <= f.high
	}
	return value >= 0 && value < len(f.values)
}

// Answer implements [Start]: there is none.
func (v service) Answer() scenario.Param { return scenario.Param{} }

// Canonical implements [Start]: the rules and the situations, whatever the customers and
// orders are called.
func (v service) Canonical() string {
	var all []situation
	for i, q := range v.Requests {
		all = append(all, v.situation(i, q.Wish))
	}
	text, err := json.Marshal(struct {
		Manual     manual
		Situations []situation
		Requests   []request
		Right      []string
	}{v.Manual, all, v.Requests, v.right()})
	if err != nil {
		return err.Error()
	}
	return string(text)
}

// Plan implements [Start]: it asks and looks up all that the manual asks about.
func (v service) Plan() (plan []quintain.ToolCall) {
	call := func(name string, args map[string]any) { plan = append(plan, Call(name, args)) }
	who := v.Customers[0]
	right := v.right()
	if v.Verify {
		call("ask", map[string]any{"topic": "number"})
		call("ask", map[string]any{"topic": "code"})
		call("verify", map[string]any{"customer": who.ID, "code": v.Code})
	}
	if right == nil {
		call("tell", map[string]any{"message": unverified})
		call("finish", map[string]any{})
		return plan
	}
	call("orders", map[string]any{"customer": who.ID})
	if v.Manual.uses(tier) {
		call("customer", map[string]any{"customer": who.ID})
	}
	for i, action := range right {
		o := v.Orders[i]
		call("order", map[string]any{"order": o.ID})
		for f, topic := range topics {
			if v.Manual.uses(f) {
				call("ask", map[string]any{"topic": topic, "item": o.Item})
			}
		}
		if action != refuse {
			call("resolve", map[string]any{"order": o.ID, "action": action})
		}
		call("tell", map[string]any{"message": action, "order": o.ID, "amount": v.amount(i, action)})
	}
	call("finish", map[string]any{})
	return plan
}

// Calls implements [Budgeted]: those for a customer who is verified, with an act for each
// request.
func (v service) Calls() int {
	v.Code = v.Customers[0].Code
	n := len(v.Plan())
	for _, action := range v.right() {
		if action == refuse {
			n++
		}
	}
	return n
}

// topics are those that the customer is asked about an item, by feature.
var topics = []string{reason: "reason", wish: "wish", deskOpened: "package"}
