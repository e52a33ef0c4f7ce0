// Package gma keeps the global memory accesses (GMAs) of one process that are in flight: it
// gives out their handles, starts each one when its order permits, and completes them in the
// order in which they were issued.
//
// An Access is what the program asks for. Engine.Issue takes it, and Engine.Wait and
// Engine.Inquire are acp_complete and acp_inquire. GMAs that this process carries out by loads
// and stores while nothing is in flight do not come here: package acp takes their handles
// from the table of package maptable alone. The counter Pending of that table keeps both apart.
//
// The Engine itself knows order and completion. A starter finds the memory of an Access and
// hands the Access to the router.
package gma
