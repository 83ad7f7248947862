//go:build heavy

package curriculum

// simLearners is how many learners are simulated at most.
const simLearners = 100
