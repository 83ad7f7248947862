package main

import "github.com/quintain-rl/quintain/policy/probe"

// warnings say what a run of these settings will not do that its user may expect.
func (c *config) warnings() (all []string) {
	if !c.Policy.remote() {
		return nil
	}
	if c.Run.Consumer == consumerBuiltin {
		all = append(all, "nothing is trained here: the batches are taken and forgotten. "+
			"For a trainer of your own, add --consumer hub; to keep what is played, use quintain export")
	}
	if c.Run.Consumer == consumerHub && c.Policy.Kind == string(probe.OpenAI) && !c.Policy.Server.Chat.TokenIDs {
		all = append(all, "the tokens that the trainer gets are the bytes of the texts, not those of the model: "+
			"if the server is vLLM, SGLang or llama.cpp, choose --policy server and name the model's tokenizer (--tokenizer)")
	}
	return all
}
