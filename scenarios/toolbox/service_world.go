package toolbox

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/quintain-rl/quintain/scenario"
)

// unverified is the message to a customer who cannot be verified.
const unverified = "unverified"

// A serviceWorld is an episode.
type serviceWorld struct {
	service
	verified bool
	done     []string // by order, the action; empty: none
	told     []string // the messages
	breach   string   // the first thing that was done before it was allowed; empty: none
}

// left reports whether the customer has left.
func (w *serviceWorld) left() bool {
	return len(w.told) >= len(w.Requests) || slices.ContainsFunc(w.told, func(m string) bool { return strings.HasPrefix(m, unverified) })
}

// World implements [Start].
func (v service) World() World {
	return &serviceWorld{service: v, done: make([]string, len(v.Orders))}
}

// Tools implements [World].
func (w *serviceWorld) Tools() scenario.Kit {
	number := []scenario.Param{{Name: "customer", Type: scenario.Text(), Doc: "the number of the customer"}}
	order := scenario.Param{Name: "order", Type: scenario.Text(), Doc: "the number of the order"}
	return scenario.Kit{
		Tool("ask", "Ask the customer.", []scenario.Param{
			{Name: "topic", Type: scenario.OneOf("number", "code", "reason", "wish", "package")}, {Name: "item", Type: scenario.Text(), Doc: "what reason, wish or package are about", Optional: true},
		}, w.ask),
		Tool("verify", "Compare a customer's code with the records.", append(number, scenario.Param{Name: "code", Type: scenario.Text()}), w.verify),
		Tool("customer", "Look up the record of a customer.", number, func(in struct{ Customer string }) (string, error) { return w.customer(in.Customer) }),
		Tool("orders", "List the orders of a customer.", number, func(in struct{ Customer string }) (string, error) { return w.ordersOf(in.Customer) }),
		Tool("order", "Look up the record of an order.", []scenario.Param{order}, func(in struct{ Order string }) (string, error) { return w.order(in.Order) }),
		Tool("resolve", "End a request by an action. It cannot be undone.", []scenario.Param{order, {Name: "action", Type: scenario.OneOf(actions[:len(actions)-1]...)}}, w.resolve),
		Tool("tell", "Tell the customer a result.", []scenario.Param{
			{Name: "message", Type: scenario.OneOf(append(slices.Clone(actions), unverified)...)}, {Name: "order", Type: scenario.Text(), Optional: true},
			{Name: "amount", Type: scenario.Int(), Doc: "in euros", Optional: true},
		}, w.tell),
	}
}

// wanted is the wish of a request as it is now.
func (w *serviceWorld) wanted(i int) int {
	if i > 0 && w.done[i-1] != "" {
		return w.Requests[i].Later
	}
	return w.Requests[i].Wish
}

func (w *serviceWorld) ask(in struct{ Topic, Item string }) (string, error) {
	switch {
	case w.left():
		return "The customer has left.", nil
	case in.Topic == "number":
		return "\"My number is " + w.Customers[0].ID + ".\"", nil
	case in.Topic == "code":
		return "\"The code is " + w.Code + ".\"", nil
	}
	i := slices.IndexFunc(w.Orders[:len(w.Requests)], func(o orderRecord) bool { return strings.EqualFold(o.Item, in.Item) })
	if in.Item == "" && len(w.Requests) == 1 {
		i = 0
	}
	if i < 0 {
		return "\"Which of my items do you mean?\"", nil
	}
	return "\"" + w.Requests[i].reply(slices.Index(topics, in.Topic), w.wanted(i)) + "\"", nil
}

// findCustomer returns the place of a customer.
func (w *serviceWorld) findCustomer(id string) (int, error) {
	i := slices.IndexFunc(w.Customers, func(c customerRecord) bool { return c.ID == id })
	if i < 0 {
		return i, scenario.Refusef("argument customer: there is no customer %.40q", id)
	}
	return i, nil
}

// findOrder returns the place of an order.
func (w *serviceWorld) findOrder(id string) (int, error) {
	i := slices.IndexFunc(w.Orders, func(o orderRecord) bool { return o.ID == id })
	if i < 0 {
		return i, scenario.Refusef("argument order: there is no order %.40q", id)
	}
	return i, nil
}

func (w *serviceWorld) verify(in struct{ Customer, Code string }) (string, error) {
	i, err := w.findCustomer(in.Customer)
	if err != nil {
		return "", err
	}
	if w.Customers[i].Code != in.Code {
		return "The code does not match.", nil
	}
	w.verified = w.verified || i == 0
	return "The code matches. The customer is verified.", nil
}

// needs notes a breach if something must wait until the customer is verified, or is about another
// one.
func (w *serviceWorld) needs(customer int, what string) {
	if w.breach == "" && w.Verify && (!w.verified || customer != 0) {
		w.breach = what + " of a customer who is not verified"
	}
}

func (w *serviceWorld) customer(id string) (string, error) {
	i, err := w.findCustomer(id)
	if err != nil {
		return "", err
	}
	w.needs(i, "it looks up the record")
	c := w.Customers[i]
	return fmt.Sprintf("customer: %s\nname: %s\ntier: %s", c.ID, c.Name, features[tier].values[c.Tier]), nil
}

func (w *serviceWorld) ordersOf(id string) (string, error) {
	i, err := w.findCustomer(id)
	if err != nil {
		return "", err
	}
	w.needs(i, "it looks up orders")
	var lines []string
	for _, o := range w.Orders {
		if o.Customer == i {
			lines = append(lines, o.ID+": "+o.Item)
		}
	}
	slices.Sort(lines) // the requests are not the first
	return strings.Join(append(lines, fmt.Sprintf("(%d orders)", len(lines))), "\n"), nil
}

func (w *serviceWorld) order(id string) (string, error) {
	i, err := w.findOrder(id)
	if err != nil {
		return "", err
	}
	o := w.Orders[i]
	w.needs(o.Customer, "it looks up an order")
	is := func(f, value int) string { return features[f].values[value] }
	text := fmt.Sprintf("order: %s\ncustomer: %s\nitem: %s\ncategory: %s\nprice: %d euros\npayment: %s\nshipping: %s\ndelivered on: %s", o.ID, w.Customers[o.Customer].ID, o.Item,
		is(category, o.Category), o.Price, is(payment, o.Payment), is(shipping, o.Shipping), today.AddDate(0, 0, -o.Days).Format(time.DateOnly))
	if w.done[i] != "" {
		text += "\nresolved by: " + w.done[i]
	}
	return text, nil
}

func (w *serviceWorld) resolve(in struct{ Order, Action string }) (string, error) {
	i, err := w.findOrder(in.Order)
	if err != nil {
		return "", err
	}
	if w.done[i] != "" {
		return "", scenario.Refusef("argument order: %s is already resolved by %s", in.Order, w.done[i])
	}
	w.needs(w.Orders[i].Customer, "it resolves an order")
	w.done[i] = in.Action
	return fmt.Sprintf("Order %s is resolved by %s.", in.Order, in.Action), nil
}

// message writes a message in one way.
func message(what, order string, amount int64) string {
	return strings.TrimSpace(fmt.Sprintf("%s %s", what, order)) + fmt.Sprintf(", %d euros", amount)
}

func (w *serviceWorld) tell(in struct {
	Message, Order string
	Amount         int64
},
) (string, error) {
	if in.Order != "" {
		if _, err := w.findOrder(in.Order); err != nil {
			return "", err
		}
	} else if in.Message != unverified {
		return "", scenario.Refusef("argument order: is missing")
	}
	if w.left() {
		return "", scenario.Refusef("the customer has left")
	}
	if in.Message != unverified {
		w.needs(0, "it tells a result")
	}
	w.told = append(w.told, message(in.Message, in.Order, in.Amount))
	if in.Message == unverified {
		return "\"Then I must look for the right code. Goodbye.\"", nil
	}
	return "\"" + w.thanks() + "\"", nil
}

// thanks is the customer's answer to a result. A changed wish is told.
func (w *serviceWorld) thanks() string {
	n := len(w.told)
	if n >= len(w.Requests) {
		return "Thank you, that was all. Goodbye."
	}
	text := "Thank you. The next is the " + w.Orders[n].Item + "."
	if q := w.Requests[n]; w.wanted(n) != q.Wish {
		text += " I have changed my mind about what I want there: now it is " + features[wish].values[q.Later] + "."
	}
	return text
}

// State implements [World]: the resolved orders, and the messages.
func (w *serviceWorld) State() State {
	state := State{"told": strings.Join(w.told, "; ")}
	for i, o := range w.Orders {
		state[o.ID] = w.done[i]
	}
	return state
}

// Untouched implements [World].
func (w *serviceWorld) Untouched() State { return w.service.World().State() }

// Mine implements [World].
func (w *serviceWorld) Mine(entry string) bool {
	return entry == "told" || slices.ContainsFunc(w.Orders[:len(w.Requests)], func(o orderRecord) bool { return o.ID == entry })
}

// Judge implements [World].
func (w *serviceWorld) Judge(string) (j Judgement) {
	if w.breach != "" {
		j.State = w.breach
		return j
	}
	j.State = FirstDifference(w.State(), w.wants())
	return j
}

// wants is the right state in the end.
func (v service) wants() State {
	right := v.right()
	want := v.World().State()
	var told []string
	for i, action := range right {
		told = append(told, message(action, v.Orders[i].ID, int64(v.amount(i, action))))
		if action != refuse {
			want[v.Orders[i].ID] = action
		}
	}
	if right == nil {
		told = []string{message(unverified, "", 0)}
	}
	want["told"] = strings.Join(told, "; ")
	return want
}
