// Package engines has the clients of inference servers, a file each, and finds out which of them serves
// an address ([Probe]).
//
// # OpenAI
//
// [OpenAI] samples from any server with OpenAI's chat completions API: vLLM, SGLang,
// llama.cpp, a gateway, OpenAI itself. With OpenAIConfig.Prompt it uses the older text
// completions instead, for models without chat training.
//
// With OpenAIConfig.TokenIDs a sample holds the exact tokens that the server reports. Without it
// the tokens are the bytes of the text ([quintain.UTF8]), in the form that package policy
// describes. The first byte of each server token then carries its log-probability, and the
// other bytes have 0, so the sum over the reply is the server's, without the special token
// that closes it. If the server's tokens do not spell its text (because the server stripped
// the text, or a reasoning parser split it), the sample has no log-probabilities, and
// [OpenAIStats] counts it.
//
// By default vLLM reports log-probabilities before temperature, top_p and top_k
// (--logprobs-mode processed_logprobs: after), and SGLang after temperature
// (SGLANG_RETURN_ORIGINAL_LOGPROB=1: before).
//
// If a server reports reasoning in a separate field (reasoning_content or reasoning), the
// client puts it before the text as <think>…</think>, or as <think>… if the reply was cut
// within it. A server of chat completions reads the tool calls of a reply itself. Without
// TokenIDs, its tokens are then those of the text with the calls in the form plain of package
// toolcall, without log-probabilities. The finish_reason "stop", or a tool call, is [quintain.Stop]; "length" is
// [quintain.Length]; "abort" is retried. "content_filter" and all others are errors: a
// reply that may have been cut is not complete. An empty text is a reply; a missing field
// is not. All this holds for text completions too, except that they have no reasoning
// field.
//
// # vLLM
//
// [VLLM] samples tokens from vLLM's server, by streamed text completions with token
// prompts, or by its route /inference/v1/generate.
//
// By default vLLM reports log-probabilities before temperature, top_p and top_k;
// --logprobs-mode processed_logprobs gives those after. An interruption loses no tokens:
// when the context ends, completions have arrived as they were sampled; when POST
// /pause?mode=abort ends them, vLLM sends the rest.
//
// # SGLang
//
// [SGLang] samples tokens from SGLang's server, by its native route /generate with
// input_ids.
//
// One request has one sample: the server gives the samples of a larger request identifiers
// of its own, with which they cannot be aborted, and it caches their common prompt anyway.
// When the context ends, the client aborts the request, and the server returns the tokens
// so far; it does the same on POST /pause_generation.
//
// By default SGLang reports log-probabilities after temperature;
// SGLANG_RETURN_ORIGINAL_LOGPROB=1 in its environment gives those before.
//
// # llama.cpp
//
// [LlamaCPP] samples tokens from llama.cpp's server, by its native route /completion,
// with token IDs as prompts.
//
// Answers are not streamed: a stream leaves out tokens that end within a character. So does
// the server's list of probabilities; a sample with such a token has no log-probabilities.
// Log-probabilities are from before temperature, top_p and top_k. When the context ends,
// the tokens so far are lost. Stop texts are not sent: the server would leave out the
// log-probabilities of their tokens.
package engines
