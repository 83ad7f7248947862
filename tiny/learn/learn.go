// Package learn takes the optimiser steps of reinforcement learning on a
// transformer, from groups of scored sequences.
//
// A [Learner] owns a model and its optimiser. [Learner.Step] trains on the groups of
// one batch, with their log-probabilities, policy versions, and scores or advantages.
// [Learner.Imitate] takes a supervised step, for a warm start. [Settings] choose the
// objective; the default, the decoupled one, tolerates groups sampled by older weights.
//
// The same steps from the same state give the same weights, bit for bit, in the same
// build of the program with the same kernels ([transformer.Kernels]).
package learn
