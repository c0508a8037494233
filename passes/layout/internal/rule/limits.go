package rule

import "fmt"

// Limit is a threshold of a rule. One step less and one step more than the known range change some evidence.
type Limit struct {
	Name  string
	Rule  ID
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

// LimitID is the number of a threshold in Limits.
type LimitID int

// Limits are the thresholds of the rules.
var Limits []Limit

// limit adds a threshold to Limits.
func limit(l Limit) LimitID {
	Limits = append(Limits, l)
	return LimitID(len(Limits) - 1)
}

var (
	SmallLeast = limit(Limit{Name: "least elements of a small reshape", Rule: SmallReshape, Value: 2,
		Evidence: []string{"small_reshapes"}})
	SmallMost = limit(Limit{Name: "most elements of a small reshape", Rule: SmallReshape, Value: 128,
		Evidence: []string{"small_reshapes"}})
	ScanWindow = limit(Limit{Name: "least window of a scan", Rule: Scan, Value: 16, Evidence: []string{"windows"}})
	GroupRuns  = limit(Limit{Name: "runs in which dots of a group request nothing", Rule: DotGroup, Value: 2,
		Evidence: []string{"dot_group_batch"}})
	WideDot = limit(Limit{Name: "least K or N that spans the lanes", Rule: DotWide, Value: 128,
		Evidence: []string{"dot_wide"}})
	VotingLanes = limit(Limit{Name: "least dimension that a reshape votes for", Rule: Votes, Value: 128, Low: 127,
		High: 128, Evidence: []string{"dot_reshaped"}})
	LargeSlice = limit(Limit{Name: "least elements of a large slice", Rule: WindowLargest, Value: 896, Low: 801, High: 896,
		Evidence: []string{"gather_window_largest"}})
	WastedBytes = limit(Limit{Name: "bytes that a table may waste", Rule: TurnTable, Value: 128 << 20, Low: 128 << 20,
		High: 134397951, Evidence: []string{"table_turned"}})
	PermutedBytes = limit(Limit{Name: "bytes of an array that is permuted as it is", Rule: RepairPermute, Value: 512 << 10,
		Low: 512 << 10, High: 528383, Evidence: []string{"permutes"}})
	WastedShare = limit(Limit{Name: "times the turned size that a table may take", Rule: TurnTable, Value: 2,
		Evidence: []string{"table_share"}})
	WastedUpdates = limit(Limit{Name: "times its updates that a scatter's table must waste to be turned", Rule: TurnTable,
		Value: 240, Evidence: []string{"scatter_kept_wide", "scatter_turned_wide"}})
	MaxChanges = limit(Limit{Name: "changes of a constraint before others than mandatory ones are refused", Rule: FromUser,
		Value: 2, Low: 1, Open: true, Evidence: []string{"value_negotiates"}})
	NegotiationShare = limit(Limit{Name: "share that an array must shrink to, for each neighbour", Rule: NegotiateOperand,
		Value: 6, Low: 5, High: 8, Evidence: []string{"linrec2", "topk_negotiates"}})
	Unwilling = limit(Limit{Name: "users that may not take part", Rule: NegotiateOperand, Value: 1,
		Evidence: []string{"topk_negotiates", "unwilling_users"}})
	LoopLanes = limit(Limit{Name: "share of the lanes from which a loop's parameter is descending", Rule: LoopParameter,
		Value: 4, Evidence: []string{"loop_minimal"}})
	NotBitcastCost = limit(Limit{Name: "cost of a pair of orders that moves data, in 1/10000", Rule: RepairReshape,
		Value: 10300, Low: 10292, High: 10334, Evidence: []string{"reshape_costs"}})
	PartialCost = limit(Limit{Name: "cost of a side whose tile has fewer rows than a full one, in 1/10000",
		Rule: RepairReshape, Value: 10600, Low: 10589, High: 10625, Evidence: []string{"reshape_few_rows"}})
	SettlingRun = limit(Limit{Name: "run after which reshapes that move nothing keep their orders", Rule: RepairReshape,
		Value: 30, Low: 5, Open: true, Evidence: []string{"linrec2"}})
	SortedMinor = limit(Limit{Name: "least sorted dimension that is minor", Rule: RepairSort, Value: 128,
		Evidence: []string{"topk_negotiates", "sorts"}})
	TakenShare = limit(Limit{Name: "times the result that an operand must take", Rule: DotTakesFree, Value: 2, Low: 1,
		High: 31, Evidence: []string{"dots_free"}})
	RowsShare = limit(Limit{Name: "times shorter that another dimension of the rows may be", Rule: DotTakesFree, Value: 2,
		Low: 2, High: 3, Evidence: []string{"dots_contracted"}})
	RiskRatio = limit(Limit{Name: "times the compact size that a concatenate may take", Rule: AtRisk, Value: 2,
		Evidence: []string{"conv_1d_nwc", "pin_tiled"}})
	RiskBytes = limit(Limit{Name: "bytes that a free array may waste", Rule: LargestFree, Value: 1 << 20, Low: 712704,
		High: 7536639, Evidence: []string{"free_small", "kmeans"}})
	SelectUnits = limit(Limit{Name: "copies that a select next to a cluster counts", Rule: Cluster, Value: 5,
		Evidence: []string{"conv_small_batch_1"}})
	TupleUnits = limit(Limit{Name: "copies that a tuple or its element next to a cluster counts", Rule: Cluster, Value: 5,
		Evidence: []string{"legal"}})
	MatrixUnits = limit(Limit{Name: "copies that a dot, convolution or reshape next to a cluster counts", Rule: Cluster,
		Value: 2, Evidence: []string{"dot_slices"}})
	CopyUnits = limit(Limit{Name: "copies that a copy next to a cluster counts", Rule: Cluster, Value: -1,
		Evidence: []string{"bitcast_ranks"}})
)
