package layout

import (
	"fmt"
)

// limit is the number of a row of limits: a threshold of a rule.
type limit uint8

const (
	smallLeast limit = iota
	smallMost
	scanWindow
	groupRuns
	wideDot
	wastedBytes
	wastedShare
	maxChanges
	negotiationShare
	unwilling
	loopLanes
	notBitcastCost
	partialCost
	sortedMinor
	takenShare
	rowsShare
	riskRatio
	riskBytes
	selectUnits
	tupleUnits
	matrixUnits
	copyUnits
	numLimits
)

// Limit is a threshold of a rule. One step less and one step more than the known range change some evidence.
type Limit struct {
	Name  string
	rule  rule
	Value int64
	// Low and High are the ends of the range that the evidence leaves open; 0 where it is Value alone. Open is a
	// range without an upper end.
	Low, High int64
	Open      bool
	// Evidence are modules of testdata of which one changes at Low-1, and one at High+1.
	Evidence []string
}

// Range says in words which values the evidence allows besides Value, "" for none.
func (l *Limit) Range() string {
	switch {
	case l.Open:
		return fmt.Sprintf(" (%d or more is as good)", l.Low)
	case l.High != 0:
		return fmt.Sprintf(" (between %d and %d)", max(l.Low, 0), l.High)
	}
	return ""
}

// limits are the thresholds of the rules.
var limits = [numLimits]Limit{
	smallLeast: {Name: "least elements of a small reshape", rule: ruleSmallReshape, Value: 2,
		Evidence: []string{"small_reshapes"}},
	smallMost: {Name: "most elements of a small reshape", rule: ruleSmallReshape, Value: 128,
		Evidence: []string{"small_reshapes"}},
	scanWindow: {Name: "least window of a scan", rule: ruleScan, Value: 16,
		Evidence: []string{"windows"}},
	groupRuns: {Name: "runs in which dots of a group ask for nothing", rule: ruleDotGroup, Value: 2,
		Evidence: []string{"dot_group_batch"}},
	wideDot: {Name: "least K or N that spans the lanes", rule: ruleDotWide, Value: 128,
		Evidence: []string{"dot_wide"}},
	wastedBytes: {Name: "bytes that a table may waste", rule: ruleTurnTable, Value: 128 << 20, Low: 128 << 20, High: 134397951,
		Evidence: []string{"table_turned"}},
	wastedShare: {Name: "times the turned size that a table may take", rule: ruleTurnTable, Value: 2,
		Evidence: []string{"table_share"}},
	maxChanges: {Name: "changes of a constraint before others than mandatory ones are refused", rule: ruleFromUser, Value: 2, Low: 1, Open: true,
		Evidence: []string{"value_negotiates"}},
	negotiationShare: {Name: "share that an array must shrink to, for each neighbour", rule: ruleNegotiateOperand, Value: 6, Low: 5, High: 8,
		Evidence: []string{"linrec2", "topk_negotiates"}},
	unwilling: {Name: "users that may not take part", rule: ruleNegotiateOperand, Value: 1,
		Evidence: []string{"topk_negotiates", "unwilling_users"}},
	loopLanes: {Name: "share of the lanes from which a loop's parameter is descending", rule: ruleLoopParameter, Value: 4,
		Evidence: []string{"loop_minimal"}},
	notBitcastCost: {Name: "cost of a pair of orders that moves data, in 1/10000", rule: ruleRepairReshape, Value: 10500, Low: 10251, High: 10724,
		Evidence: []string{"heads"}},
	partialCost: {Name: "cost of a side whose tile has fewer rows than a full one, in 1/10000", rule: ruleRepairReshape, Value: 10575, Low: 10201, High: 10674,
		Evidence: []string{"heads", "ddpm_unet"}},
	sortedMinor: {Name: "least sorted dimension that is minor", rule: ruleRepairSort, Value: 128,
		Evidence: []string{"topk_negotiates", "sorts"}},
	takenShare: {Name: "times the result that an operand must take", rule: ruleDotTakesFree, Value: 2, Low: 1, High: 31,
		Evidence: []string{"dots_free"}},
	rowsShare: {Name: "times shorter that another dimension of the rows may be", rule: ruleDotTakesFree, Value: 2, Low: 2, High: 3,
		Evidence: []string{"dots_contracted"}},
	riskRatio: {Name: "times the compact size that a concatenate may take", rule: ruleAtRisk, Value: 2,
		Evidence: []string{"conv_1d_nwc", "pin_tiled"}},
	riskBytes: {Name: "bytes that a free array may waste", rule: ruleLargestFree, Value: 1 << 20, Low: 1040001, High: 7602175,
		Evidence: []string{"dct_jpeg_blocks", "kmeans"}},
	selectUnits: {Name: "copies that a select beside a cluster counts", rule: ruleCluster, Value: 5,
		Evidence: []string{"conv_small_batch_1"}},
	tupleUnits: {Name: "copies that a tuple or its element beside a cluster counts", rule: ruleCluster, Value: 5,
		Evidence: []string{"legal"}},
	matrixUnits: {Name: "copies that a dot, convolution or reshape beside a cluster counts", rule: ruleCluster, Value: 2,
		Evidence: []string{"dot_slices"}},
	copyUnits: {Name: "copies that a copy beside a cluster counts", rule: ruleCluster, Value: -1,
		Evidence: []string{"bitcast_ranks"}},
}

// limitsOf returns the values of all thresholds.
func limitsOf() (out [numLimits]int64) {
	for l := range limits {
		out[l] = limits[l].Value
	}
	return out
}
