package toolbox

import (
	"fmt"
	"strings"
	"time"
)

// Goal implements [toolbox.Start].
func (v service) Goal(wording int) string {
	parts := []string{
		fmt.Sprintf([]string{
			"You work at the service desk of a shop. Today is %s. A customer writes to you; follow the manual to the letter.",
			"You are the service desk of a shop, and the manual tells you what to do. Today's date is %s. There is a customer.",
			"Serve a customer of a shop as the manual of its service desk says. The date is %s.",
		}[wording], today.Format(time.DateOnly)),
		v.Manual.words(wording),
		v.duties(wording),
		v.Customers[0].hello(v),
	}
	return strings.Join(parts, "\n\n")
}

// today is the day of all episodes.
var today = time.Date(2024, time.June, 30, 0, 0, 0, 0, time.UTC)

// words writes the manual.
func (m manual) words(wording int) string {
	lines := []string{[]string{
		"The manual says which action ends a request. Exactly one rule fits. Of several exceptions that fit, the first counts.",
		"These are the rules for requests; one of them applies to each. If more than one exception to it applies, take the first.",
		"For every request there is one rule that fits, and it names the action. An exception comes before its rule, and the first exception that fits before the others.",
	}[wording]}
	for i, r := range m {
		lines = append(lines, fmt.Sprintf("%d. %s", i+1, r.words(wording)))
	}
	return strings.Join(lines, "\n")
}

// words writes a rule.
func (r rule) words(wording int) string {
	var when, but []string
	for _, t := range r.When {
		when = append(when, t.String())
	}
	for _, e := range r.Except {
		but = append(but, fmt.Sprintf([]string{"if %s: %s", "%[2]s if %[1]s", "%[2]s where %[1]s"}[wording], e.If, e.Do))
	}
	text := fmt.Sprintf([]string{"If %s: %s.", "When %s, the action is %s.", "Where %s, choose %s."}[wording], strings.Join(when, " and "), r.Do)
	if len(but) > 0 {
		text += fmt.Sprintf([]string{" But %s.", " Exceptions: %s.", " Except: %s."}[wording], strings.Join(but, "; "))
	}
	return text
}

// duties tell how to act.
func (v service) duties(wording int) string {
	text := fmt.Sprintf([]string{
		"The actions: refund gives back the price, half_refund half of it (rounded down to whole euros), and voucher a voucher of %d euros. Replace and repair are done with the item. Do these with the tool resolve. " +
			"Refuse does nothing. Take the requests in the order in which the customer names them. After each, call tell once, with the action as the message, the order, and the amount in euros that the customer gets (0 if there is none).",
		"A request ends with one of these actions. Refund: the price is given back. Half_refund: half the price is given back, without a half euro. Voucher: the customer gets a voucher of %d euros. Replace, repair: the item is replaced or " +
			"repaired. All of these need a call of resolve. Refuse: the order stays as it is. Requests are served in the customer's order, and after each you tell the customer, once: the message is the action, with the order and the euros given (0 if none).",
		"What the actions are: with refund the customer gets the price back, with half_refund half the price in whole euros (rounded down), with voucher %d euros as a voucher; replace and repair concern the item. Use resolve for them, but not " +
			"for refuse, which changes nothing. Serve the requests one by one, as the customer lists them. Each ends with one call of tell, whose message is the action; add the order and the amount in euros, which is 0 unless money or a voucher is given.",
	}[wording], v.Worth)
	if !v.Verify {
		return text
	}
	return text + "\n" + []string{
		"Before all this, ask for the customer's number and code, and verify them. Until that succeeds, look up no record, resolve nothing and tell nothing. If the code does not match, tell the message unverified, without an order, and finish. " +
			"Look up the records of this customer only.",
		"First of all the customer must be verified by number and code, which you ask for. Records may be looked up, orders resolved and messages told only after that, and only records of this customer. A customer whose code does not match is told unverified, " +
			"without an order, and nothing else; then finish.",
		"The first step is to verify the customer: ask for number and code. As long as the customer is not verified, no record is looked up, no order resolved, and nothing told. Should the code not match, the only thing to do is to tell unverified, with no order, " +
			"and to finish. Records of other customers are never looked up.",
	}[wording]
}

// hello is the customer's first message.
func (c customerRecord) hello(v service) string {
	var about []string
	for i := range v.Requests {
		about = append(about, v.Orders[i].Item)
	}
	text := fmt.Sprintf([]string{"Hello, I have a problem with my %s.", "Good morning! It is about my %s.", "Hi, can you help me with my %s?"}[v.Manner], strings.Join(about, ", then with my "))
	if v.Manner == 1 {
		text = strings.ReplaceAll(text, ", then with ", ", then about ")
	}
	if v.Verify {
		return "The customer writes: \"" + text + "\""
	}
	return fmt.Sprintf("The customer is %s and writes: \"%s\"", c.ID, text)
}

// reply answers a question about a request.
func (q request) reply(f, wanted int) string {
	switch f {
	case reason:
		return []string{
			"There is damage: it does not work as it should.", "You sent a wrong item, not the one that I ordered.", "It was a change of mind, I just do not need it.", "It was a late delivery, I had to wait for weeks.",
		}[q.Reason]
	case wish:
		return "I want " + features[wish].values[wanted] + "."
	}
	return "The package is " + features[deskOpened].values[q.Opened] + "."
}
