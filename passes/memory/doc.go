// Package memory places the values of a scheduled module: HBM, or the fast space of a generation (VMEM, CMEM), SMEM for scalars, sync flags for
// asynchronous operations.
package memory
