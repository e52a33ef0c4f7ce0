// Package collective calls the collective functions of one process: those that all ranks call
// in the same order, such as acp_sync and acp_finalize.
//
// Each of them begins with a barrier. A rank brings to it the mark of its Call, so that all
// ranks find out there whether their calls are equal. If they are not, member 0 asks the
// others for their Progress and ends the run with a line that names two calls and ranks.
//
// What ranks tell each other in a collective function goes through the bootstrap, which takes
// from each rank one blob and gives each rank the blobs of all.
package collective
