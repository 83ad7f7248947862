package judge

import (
	"encoding/json"
	"fmt"

	"github.com/quintain-rl/quintain/internal/stats"
	"github.com/quintain-rl/quintain/internal/strictjson"
	"github.com/quintain-rl/quintain/policy/remote"
)

// readVLLM reads an answer of vLLM: an entry for each reply, in any order.
func readVLLM(body []byte, n int, kind RewardKind) ([][]float64, *remote.Error) {
	var answer struct {
		Data []struct {
			Index *int            `json:"index"`
			Probs []*float64      `json:"probs"` // of /classify
			Data  json.RawMessage `json:"data"`  // of /pooling
		} `json:"data"`
	}
	if fault := remote.Decode(body, &answer); fault != nil {
		return nil, fault
	}
	if len(answer.Data) != n {
		return nil, remote.Nonsensef("%d entries for %s", len(answer.Data), stats.Count(n, "reply"))
	}
	rows := make([][]float64, n)
	for i, e := range answer.Data {
		if e.Index == nil || *e.Index < 0 || *e.Index >= n || rows[*e.Index] != nil {
			return nil, remote.Nonsensef("entry %d has no index of its own", i)
		}
		var err error
		row := &rows[*e.Index]
		if kind == Pooling {
			*row, err = pooled(e.Data)
		} else {
			*row, err = numbers(e.Probs)
		}
		if err != nil {
			return nil, remote.Nonsensef("entry %d: %w", i, err)
		}
	}
	return rows, nil
}

// pooled reads the pooled output of a reply: its numbers, or a list of them for each token.
func pooled(data []byte) ([]float64, error) {
	var flat []*float64
	if err := strictjson.Unmarshal(data, &flat); err == nil {
		return numbers(flat)
	}
	var tokens [][]*float64
	if err := strictjson.Unmarshal(data, &tokens); err != nil || len(tokens) == 0 {
		return nil, fmt.Errorf("data is %.40q, want a list of numbers, or one for each token", data)
	}
	return numbers(tokens[len(tokens)-1])
}

// numbers returns a list that has numbers, and nothing else.
func numbers(list []*float64) ([]float64, error) {
	if len(list) == 0 {
		return nil, fmt.Errorf("there are no numbers")
	}
	row := make([]float64, len(list))
	for i, v := range list {
		if v == nil {
			return nil, fmt.Errorf("number %d is null", i)
		}
		row[i] = *v
	}
	return row, nil
}

// readSGLang reads an answer of SGLang: an object for each reply, or one for a single reply.
func readSGLang(body []byte, n int) ([][]float64, *remote.Error) {
	type entry struct {
		Embedding []*float64 `json:"embedding"`
	}
	var list []entry
	if fault := remote.Decode(body, &list); fault != nil {
		var one entry
		if n != 1 || remote.Decode(body, &one) != nil {
			return nil, fault
		}
		list = []entry{one}
	}
	if len(list) != n {
		return nil, remote.Nonsensef("%d entries for %s", len(list), stats.Count(n, "reply"))
	}
	rows := make([][]float64, n)
	for i, e := range list {
		var err error
		if rows[i], err = numbers(e.Embedding); err != nil {
			return nil, remote.Nonsensef("entry %d: %w", i, err)
		}
	}
	return rows, nil
}

// readOpenRLHF reads an answer of OpenRLHF's form: a reward for each reply. Its scores and
// extra_logs are for filters and logs.
func readOpenRLHF(body []byte, n int) ([][]float64, *remote.Error) {
	var answer struct {
		Rewards []*float64 `json:"rewards"`
	}
	if fault := remote.Decode(body, &answer); fault != nil {
		return nil, fault
	}
	if len(answer.Rewards) != n {
		return nil, remote.Nonsensef("%s for %s", stats.Count(len(answer.Rewards), "reward"), stats.Count(n, "reply"))
	}
	rows := make([][]float64, n)
	for i := range answer.Rewards {
		var err error
		if rows[i], err = numbers(answer.Rewards[i : i+1]); err != nil {
			return nil, remote.Nonsensef("reward: %w", err)
		}
	}
	return rows, nil
}
