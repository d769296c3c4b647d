package trace

// A Column is one of the columns of the trace schema.
type Column int

// The columns, in the order of the schema.
const (
	ColTask Column = iota
	ColSubmitS
	ColClass
	ColGroup
	ColKind
	ColSlots
	ColWorkS
	ColEstimateS
	ColPriority
	ColHome
	ColDataset
	ColInputBytes
	ColDataHome
	ColScans
	ColAccess
	ColOutputBytes
	ColOutputDataset
	ColResultHome
	ColImage
	ColImageBytes
	ColEnvironment
	ColStateBytes
	ColCheckpointS
	ColResumable
	ColPortable
	ColStateless
	ColJurisdictions
	ColResultJurisdictions
	ColLicenses
	ColTransferBudgetS
	ColQueueBudgetS
	ColComputeBudgetS
	ColDeadlineS
	ColValuePerH
	ColSyncBytes
	ColSyncs
	ColSpan
	ColCompression
	ColParts
	ColWeight
	ColMaxRateBytesS
	ColRecordedWaitS
	ColRecordedRoom
	ColAfter
	ColShuffleBytes
	NumColumns
)

func (c Column) String() string { return columns[c].Name }

// A ColumnType says how the cells of a column are read.
type ColumnType uint8

// The types of columns. A List holds one entry or more, parted by ";". A Number
// of checkpoint_s may also be the word "auto".
const (
	Text ColumnType = iota
	Number
	Bool
	List
)

func (t ColumnType) String() string { return [...]string{"text", "number", "bool", "list"}[t] }

// A ColumnInfo defines a column.
type ColumnInfo struct {
	Name    string
	Type    ColumnType
	Unit    string // "" where it has none
	Doc     string
	Default string // what an absent value means, in words
}

var columns = [NumColumns]ColumnInfo{
	ColTask:                {"task", Text, "", "name, unique", "none: always needed"},
	ColSubmitS:             {"submit_s", Number, "s", "seconds since the trace's start", "none: always needed"},
	ColClass:               {"class", Text, "", "what kind of work it is", "batch"},
	ColGroup:               {"group", Text, "", "whose, or what kind; the key of the task archive", "none"},
	ColKind:                {"kind", Text, "", "kind of slot", "any"},
	ColSlots:               {"slots", Number, "slots", "gang size", "1"},
	ColWorkS:               {"work_s", Number, "s", "run time on the full gang at speed 1", "none: needed but for class transfer"},
	ColEstimateS:           {"estimate_s", Number, "s", "the user's estimate of work_s", "none"},
	ColPriority:            {"priority", Number, "", "larger first", "0"},
	ColHome:                {"home", Text, "", "room it is submitted from", "the only room"},
	ColDataset:             {"dataset", List, "", "data sets it reads", "data that only this task reads"},
	ColInputBytes:          {"input_bytes", List, "bytes", "how much it reads, one entry per data set", "0"},
	ColDataHome:            {"data_home", List, "", "rooms that hold the data, one entry per data set, rooms of one set joined by +", "home"},
	ColScans:               {"scans", Number, "", "how often it reads the whole of its input", "1"},
	ColAccess:              {"access", Text, "", "stage (brought first) or remote (read while it computes)", "stage"},
	ColOutputBytes:         {"output_bytes", Number, "bytes", "what it returns", "0"},
	ColOutputDataset:       {"output_dataset", Text, "", "data set that its output becomes", "none"},
	ColResultHome:          {"result_home", Text, "", "room its output returns to", "home"},
	ColImage:               {"image", Text, "", "named image, of which copies stay", "none"},
	ColImageBytes:          {"image_bytes", Number, "bytes", "what must travel for it to run elsewhere", "0"},
	ColEnvironment:         {"environment", Text, "", "what must exist where it runs", "none"},
	ColStateBytes:          {"state_bytes", Number, "bytes", "size of a checkpoint", "0"},
	ColCheckpointS:         {"checkpoint_s", Number, "s", "checkpoint interval; auto: Young-Daly", "no checkpoints"},
	ColResumable:           {"resumable", Bool, "", "whether a resume from a checkpoint is verified", "true"},
	ColPortable:            {"portable", Bool, "", "whether it can run elsewhere", "true"},
	ColStateless:           {"stateless", Bool, "", "of class stateful: whether it keeps nothing that a move would lose", "false"},
	ColJurisdictions:       {"jurisdictions", List, "", "where its data may be", "anywhere"},
	ColResultJurisdictions: {"result_jurisdictions", List, "", "where its results may be", "anywhere"},
	ColLicenses:            {"licenses", List, "", "licenses it needs", "none"},
	ColTransferBudgetS:     {"transfer_budget_s", Number, "s", "longest transfer it tolerates", "none"},
	ColQueueBudgetS:        {"queue_budget_s", Number, "s", "longest queueing it tolerates", "none"},
	ColComputeBudgetS:      {"compute_budget_s", Number, "s", "longest computing it tolerates", "none"},
	ColDeadlineS:           {"deadline_s", Number, "s", "when it must be done, from its submission", "none"},
	ColValuePerH:           {"value_per_h", Number, "money/h", "what an hour of its turnaround costs", "the scenario's value_of_time"},
	ColSyncBytes:           {"sync_bytes", Number, "bytes", "volume of one synchronization", "0"},
	ColSyncs:               {"syncs", Number, "", "number of synchronizations", "0"},
	ColSpan:                {"span", Text, "", "widest place its gang may spread over: pool, room, city, hub", "pool"},
	ColCompression:         {"compression", Number, "", "ratio its data compresses by", "1"},
	ColParts:               {"parts", Number, "", "independent parts it can be split into", "1"},
	ColWeight:              {"weight", Number, "", "share weight of its transfers", "1"},
	ColMaxRateBytesS:       {"max_rate_bytes_s", Number, "bytes/s", "cap of its transfers", "none"},
	ColRecordedWaitS:       {"recorded_wait_s", Number, "s", "how long it really waited", "not known"},
	ColRecordedRoom:        {"recorded_room", Text, "", "where it really ran", "not known"},
	ColShuffleBytes:        {"shuffle_bytes", Number, "bytes", "what its own workers exchange while it runs: enters no route, fill rules may use it", "0"},
	ColAfter:               {"after", List, "", "tasks that must be done before; may be later rows", "none"},
}

// Columns returns the definition of every column, in the order of the schema.
func Columns() []ColumnInfo { return append([]ColumnInfo(nil), columns[:]...) }

// FindColumn finds a column by its name.
func FindColumn(name string) (Column, bool) {
	for i := range columns {
		if columns[i].Name == name {
			return Column(i), true
		}
	}
	return 0, false
}

// columnNames returns the names of all columns.
func columnNames() []string {
	names := make([]string, len(columns))
	for i := range columns {
		names[i] = columns[i].Name
	}
	return names
}
