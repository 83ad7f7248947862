package engines

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/quintain-rl/quintain/policy/remote"
)

// Check asks the server for its models, once. It returns a [*remote.Error] if the server
// does not answer, refuses the key or lacks the model. A caller may poll it while a server
// starts.
func (c *OpenAI) Check(ctx context.Context) error {
	body, err := c.server.Get(ctx, "models", missing)
	if err != nil {
		return err
	}
	var list struct {
		Data []struct {
			ID string `json:"id"`
		} `json:"data"`
	}
	if fault := remote.Decode(body, &list); fault != nil {
		return c.server.Fault(fault, "models", body)
	}
	known := make([]string, 0, len(list.Data))
	for _, model := range list.Data {
		known = append(known, model.ID)
	}
	if slices.Contains(known, c.cfg.Model) {
		return nil
	}
	err = fmt.Errorf("no model %q; the server has none", c.cfg.Model)
	if len(known) > 0 {
		err = fmt.Errorf("no model %q; the server has %s", c.cfg.Model, shortList(known))
	}
	return c.server.Fault(&remote.Error{Kind: remote.UnknownModel, Err: err}, "models", body)
}

// shortList joins names; of a long list, only the first.
func shortList(names []string) string {
	const most = 5
	if len(names) <= most {
		return strings.Join(names, ", ")
	}
	return fmt.Sprintf("%s and %d more", strings.Join(names[:most], ", "), len(names)-most)
}
