package prove

import (
	"cmp"
	"slices"
)

// A Standing is what became of an id of OpenEnv's policy v2.
type Standing struct {
	ID     string `json:"id"`
	Status Status `json:"status"`
	Check  string `json:"check,omitempty"` // that stands for it; empty: none does
	WhyNot string `json:"why_not,omitempty"`
}

// openEnv lists the ids of OpenEnv's policy v2 (package openenv 0.10.0) for which no check stands, with the reason.
func openEnv() map[string]string {
	const registry, folder, reach = "registry", "no folder of the environment is given", "this way to reach it does not tell"
	return map[string]string{
		"hub.cosign_signature": registry, "hub.immutable_versioning": registry, "hub.layer_isolation": registry,
		"static.image_hygiene": folder, "static.layout": folder, "static.oci_labels": folder, "static.reproducible_build": folder, "static.sbom": folder,
		"runtime.host_containment": reach, "runtime.network_policy": reach, "semantic.verifier_portability": reach,
		"runtime.trajectory_record": reach, "runtime.reward_attribution": reach, "runtime.rubric_introspectable": reach,
		"runtime.observation_schema": reach, "runtime.state_contract": reach, "runtime.resource_bounds": reach,
		"hub.cross_host_determinism": reach, "hub.time_to_first_work": reach, "static.dependency_pinning": reach, "static.manifest": reach,
		"static.resource_declaration": reach, "static.task_distribution_pinning": reach, "static.timeout_ceiling": reach,
		"runtime.episode_determinism": reach, "runtime.episode_isolation": reach, "runtime.oracle_containment": reach, "runtime.reward_well_formed": reach,
		"runtime.seed_control": reach, "runtime.startup": reach, "runtime.task_declaration_accuracy": reach, "runtime.tool_declaration_accuracy": reach,
		"semantic.canary_floor": reach, "semantic.floor_gap": reach, "semantic.no_solution_leakage": reach, "semantic.oracle_max": reach,
		"semantic.replayability": reach, "semantic.resource_envelope": reach, "semantic.verifier_determinism": reach,
		"statistical.adversarial_floor": reach, "statistical.difficulty_separation": reach, "statistical.gameability_gap": reach, "statistical.headroom": reach,
		"statistical.reward_reachability": reach, "statistical.training_signal": reach, "statistical.variance_bound": reach,
	}
}

// standings returns what became of every id: the gravest status of the checks that stand for it.
func standings(found []*Result) (all []Standing) {
	order := []Status{Fail, Fault, Warn, NotChecked, Pass, NotApplicable}
	for id, why := range openEnv() {
		s := Standing{ID: id, Status: NotChecked, WhyNot: why}
		if why == "registry" {
			s.Status = NotApplicable
		}
		for _, r := range found {
			if !slices.Contains(r.OpenEnv, id) {
				continue
			}
			if s.Check == "" || slices.Index(order, r.Status) < slices.Index(order, s.Status) {
				s = Standing{id, r.Status, r.ID, r.WhyNot}
			}
		}
		all = append(all, s)
	}
	slices.SortFunc(all, func(x, y Standing) int { return cmp.Compare(x.ID, y.ID) })
	return all
}
