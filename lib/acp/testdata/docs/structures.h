// What the code in the pages about memory and structures uses without declaring it.

#include <acp.h>
#include <gp.h>
#include <stdlib.h>

extern int owner, segnum;
extern acp_ga_t mine, key, value;
extern void *data;
extern char room[1000], *buf;
extern size_t offset, other, segsize;
extern uint64_t word;
extern acp_map_t map;
extern acp_pair_t pairs[100];

int more(void);
void fill(char *segment);
void consume(char *segment);
void compute(void);
int compare(acp_element_t a, acp_element_t b);
void print_element(acp_element_t element);
void print_pair(acp_pair_t pair);
