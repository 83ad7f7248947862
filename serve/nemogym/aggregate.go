package nemogym

import (
	"encoding/json"
	"errors"
	"maps"
	"math"
	"slices"
	"strings"

	"github.com/quintain-rl/quintain/internal/strictjson"
	"github.com/quintain-rl/quintain/internal/web"
)

// aggregate answers with statistics of the top-level numbers in replies of /verify, and of
// the tokens of their responses: over all replies, and over those to each row.
func aggregate(c *web.Call) error {
	c.Plain = true
	return c.Answer(aggregated)
}

// aggregated returns the reply to the body of a request.
func aggregated(body []byte) ([]byte, error) {
	var asked struct {
		Responses []map[string]json.RawMessage `json:"verify_responses"`
	}
	if err := strictjson.Unmarshal(body, &asked); err != nil {
		return nil, invalid(err)
	}
	if asked.Responses == nil {
		return nil, invalid(errors.New("verify_responses: is missing"))
	}
	all, rows := numbers{}, map[float64]numbers{}
	rollouts := map[float64]float64{} // per row
	for _, response := range asked.Responses {
		found := numbersOf(response)
		all.add(found)
		if row, has := strictjson.Float(response["_ng_task_index"]); has {
			if rows[row] == nil {
				rows[row] = numbers{}
			}
			rows[row].add(found)
			rollouts[row]++
		}
	}
	out := struct {
		Groups []map[string]float64 `json:"group_level_metrics"`
		All    map[string]float64   `json:"agent_metrics"`
		Key    map[string]float64   `json:"key_metrics"`
	}{[]map[string]float64{}, all.statistics(), map[string]float64{}}
	for name, x := range out.All {
		if strings.HasPrefix(name, "mean/") {
			out.Key[name] = x
		}
	}
	for _, row := range slices.Sorted(maps.Keys(rows)) {
		group := rows[row].statistics()
		group["_ng_task_index"], group["num_rollouts"] = row, rollouts[row]
		out.Groups = append(out.Groups, group)
	}
	text, err := json.Marshal(out)
	if err != nil { // a sum is not finite
		return nil, invalid(errors.New("verify_responses: has numbers that are too large"))
	}
	return text, nil
}

// numbers are values by their names.
type numbers map[string][]float64

// add adds a value for each name.
func (n numbers) add(found map[string]float64) {
	for name, x := range found {
		n[name] = append(n[name], x)
	}
}

// statistics returns the statistics of each name.
func (n numbers) statistics() map[string]float64 {
	all := map[string]float64{}
	for name, xs := range n {
		slices.Sort(xs)
		mean := 0.0
		for _, x := range xs {
			mean += x / float64(len(xs))
		}
		squares := 0.0
		for _, x := range xs {
			squares += (x - mean) * (x - mean)
		}
		all["mean/"+name], all["min/"+name], all["max/"+name] = mean, xs[0], xs[len(xs)-1]
		all["median/"+name] = (xs[(len(xs)-1)/2] + xs[len(xs)/2]) / 2
		all["std/"+name] = math.Sqrt(squares / float64(max(1, len(xs)-1)))
	}
	return all
}

// numbersOf returns the numbers in a reply of /verify.
func numbersOf(response map[string]json.RawMessage) map[string]float64 {
	all := map[string]float64{}
	for name, value := range response {
		if x, ok := strictjson.Float(value); ok && !strings.HasPrefix(name, "_ng_") {
			all[name] = x
		}
	}
	var of struct {
		Usage map[string]json.RawMessage `json:"usage"`
	}
	if strictjson.Unmarshal(response["response"], &of) == nil {
		for _, name := range []string{"input_tokens", "output_tokens", "total_tokens"} {
			if x, ok := strictjson.Float(of.Usage[name]); ok {
				all[name] = x
			}
		}
	}
	return all
}
