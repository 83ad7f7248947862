// Package quintain defines the nouns of the system: problem, verdict, episode, trajectory
// and group, and the interfaces task, scenario and policy.
//
// Data flows like this:
//
//	Draw → Problem → Env ⇄ Policy (Turn, Turn, …) → Trajectory → Group → queue → trainer
//
// A [Draw] names a [Problem] of a [Task]. An [Env] plays it with a [Policy] as one episode
// and records a [Trajectory]. A [Group] is several trajectories of one problem: the unit of
// training and of the queue.
//
// The package imports only the standard library. It opens no file, starts no goroutine and
// reads no clock.
package quintain
