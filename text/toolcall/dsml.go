package toolcall

import "github.com/quintain-rl/quintain/internal/strictjson"

// The tags of DeepSeek V3.2 and V4: in a section, an invoke with its name holds
// parameters with their names, each of which says whether it is a string or JSON.
const (
	dsmlOpen, dsmlClose       = "<｜DSML｜", "</｜DSML｜"
	dsmlInvoke, dsmlInvokeEnd = dsmlOpen + `invoke name="`, dsmlClose + "invoke>"
	dsmlParameter             = dsmlOpen + `parameter name="`
)

var dsmlTags = tagged{after: dsmlClose + "parameter>", next: dsmlParameter, named: `"`, end: dsmlInvokeEnd, open: dsmlInvoke}

func (r *reader) dsml() bool {
	for _, section := range []string{"function_calls>", "tool_calls>"} { // of V3.2, of V4
		r.section(dsmlOpen+section, dsmlInvoke)
		if r.skip(dsmlClose + section) {
			return len(r.out.Calls) > 0
		}
	}
	if !r.skip(dsmlInvoke) {
		r.fault("want a call")
		return false
	}
	name, named := r.until(`">`)
	if !named {
		r.fault("want a name")
		return false
	}
	from := r.at
	args := r.newObject(name)
	for r.space(); r.skip(dsmlParameter); {
		key, named := r.until(`" string="`)
		kind, said := r.until(`">`)
		value, closed := dsmlTags.value(r, args, key)
		if !named || !said || !closed {
			return r.brokenTags(broken{name, from, "a parameter has no end"}, dsmlInvokeEnd, dsmlInvoke)
		}
		literal := trim(value)
		if kind == "true" || whole(literal) != "" {
			if literal = string(strictjson.AppendLegible(nil, value)); kind != "true" {
				r.fault("parameter %s is not JSON", key)
			}
		}
		if !args.set(key, literal) {
			return r.brokenTags(broken{name, from, "parameter " + key + " is written twice"}, dsmlInvokeEnd, dsmlInvoke)
		}
	}
	if !r.skip(dsmlInvokeEnd) {
		return r.brokenTags(broken{name, from, "want a parameter or the end of the call"}, dsmlInvokeEnd, dsmlInvoke)
	}
	r.callOf(name, args)
	return true
}
