package hlo

import (
	"strings"
	"sync/atomic"
)

// Attr is one attribute of an instruction, computation or module: key=value.
type Attr struct {
	Key   *AttrKey
	Value *Value
}

// AttrKey is the key of an attribute. Known keys are rows of one table and compare by pointer.
type AttrKey struct {
	Name string
	// id is the place in the table the key is from; unknown keys have unknownID.
	id int
	// Called says that the value names computations (or holds them inline).
	Called bool
	// Known is false for a key that no XLA we know of prints.
	Known bool
}

// attrNames holds every instruction attribute: first those of single opcodes, roughly in XLA's print order (an opcode's
// own order is in its row of opcodeTable), then the computation references and the common ones, which all opcodes print
// in this order.
var attrNames = []string{
	"parameter_replication",
	"async_execution_thread",
	"channel_id", "replica_groups", "source_target_pairs", "constrain_layout",
	"lhs_batch_dims", "lhs_contracting_dims", "rhs_batch_dims", "rhs_contracting_dims", "lhs_ragged_dims",
	"rhs_group_dims",
	"is_host_transfer",
	"update_window_dims", "inserted_window_dims", "scatter_dims_to_operand_dims", "input_batching_dims",
	"scatter_indices_batching_dims",
	"offset_dims", "collapsed_slice_dims", "start_index_map", "operand_batching_dims", "start_indices_batching_dims",
	"index_vector_dim",
	"dimensions", "use_global_device_ids", "has_dynamic_root", "slice_sizes", "dynamic_slice_sizes",
	"indices_are_sorted", "unique_indices",
	"num_carries", "is_reverse", "is_associative",
	"epsilon", "feature_index",
	"lower", "direction", "type", "order",
	"window", "dim_labels", "feature_group_count", "batch_group_count", "convolution_kind",
	"operand_precision", "padding_type", "algorithm", "sparsity_config",
	"cross_program_prefetch_index",
	"custom_call_target", "operand_layout_constraints", "custom_call_has_side_effect", "literal",
	"domain", "fft_type", "fft_length", "kind", "index", "infeed_config", "outfeed_shape", "outfeed_config",
	"iota_dimension", "padding", "exponent_bits", "mantissa_bits", "inferred_dimension",
	"distribution", "delta", "slice", "k", "largest", "is_stable",
	"left_side", "unit_diagonal", "transpose_a", "mode",
	"output_to_operand_aliasing", "schedule", "api_version",
	"condition", "body", "select", "scatter", "true_computation", "false_computation", "branch_computations",
	"to_apply", "is_composite", "called_computations", "calls",
	"sharding", "frontend_attributes", "control-predecessors", "statistics", "result_accuracy", "origin", "metadata",
	"backend_config",
}

// moduleAttrNames holds every module attribute, in XLA's print order.
var moduleAttrNames = []string{
	"is_scheduled", "input_output_alias", "buffer_donor", "alias_passthrough_params", "entry_computation_layout",
	"allow_spmd_sharding_propagation_to_parameters", "allow_spmd_sharding_propagation_to_output",
	"replica_count", "num_partitions", "frontend_attributes", "origin_recovery_table", "debug_attributes",
}

// computationAttrNames holds the attributes that may follow a computation's closing brace.
var computationAttrNames = []string{"execution_thread"}

// calls reports whether an attribute of that name has computations.
func calls(name string) bool {
	switch name {
	case "condition", "body", "select", "scatter", "true_computation", "false_computation", "branch_computations",
		"to_apply", "called_computations", "calls":
		return true
	}
	return false
}

func keyTable(names []string) map[string]*AttrKey {
	m, keys := make(map[string]*AttrKey, len(names)), make([]AttrKey, len(names))
	for i, n := range names {
		keys[i] = AttrKey{Name: n, id: i, Called: calls(n), Known: true}
		m[n] = &keys[i]
	}
	return m
}

var (
	attrKeys            = keyTable(attrNames)
	moduleAttrKeys      = keyTable(moduleAttrNames)
	computationAttrKeys = keyTable(computationAttrNames)
)

const unknownID = 1 << 20

func lookupKey(table map[string]*AttrKey, name string) *AttrKey {
	if k := table[name]; k != nil {
		return k
	}
	return &AttrKey{Name: name, id: unknownID}
}

// InstructionAttr returns the key of that name among the instruction attributes; an unknown name gives a new,
// unknown key.
func InstructionAttr(name string) *AttrKey { return lookupKey(attrKeys, name) }

// ModuleAttr is InstructionAttr for the attributes of a module's first line.
func ModuleAttr(name string) *AttrKey { return lookupKey(moduleAttrKeys, name) }

// ComputationAttr is InstructionAttr for the attributes after a computation's closing brace.
func ComputationAttr(name string) *AttrKey { return lookupKey(computationAttrKeys, name) }

// KnownAttrs returns the names of all instruction attributes in XLA's print order.
func KnownAttrs() []string { return attrNames }

func find(attrs []Attr, name string) *Value {
	for i := range attrs {
		if attrs[i].Key.Name == name {
			return attrs[i].Value
		}
	}
	return nil
}

// PrintOrder returns a number that grows in the order in which XLA prints an instruction's attributes: first the
// opcode's own as its row lists them, then the common ones; unknown keys come last.
func (op Opcode) PrintOrder(key *AttrKey) int {
	if key.id >= len(attrNames) {
		return key.id
	}
	op = op.known()
	order := printOrders[op].Load()
	if order == nil {
		order = op.printOrder()
		printOrders[op].Store(order)
	}
	return int(order[key.id])
}

// PrintOrder is Opcode.PrintOrder for attributes that do not belong to an instruction.
func (k *AttrKey) PrintOrder() int { return k.id }

// printOrders are the places of an opcode's attributes, by the keys' numbers: nil for one that nothing asked for.
var printOrders [numOpcodes]atomic.Pointer[[256]uint8]

func (op Opcode) printOrder() *[256]uint8 {
	var rank [256]uint8
	own := uint8(0)
	for n := range strings.FieldsSeq(opcodeTable[op].attrs) {
		if n != "result_accuracy" { // prints among the common ones
			own++
			rank[attrKeys[strings.TrimSuffix(n, "!")].id] = own
		}
	}
	for id := range attrNames {
		if rank[id] == 0 {
			rank[id] = own + 1 + uint8(id)
		}
	}
	return &rank
}
