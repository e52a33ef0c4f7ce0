/*
 * Prints each request of a process, and runs a phase on all processes then, or on those that stay. Ends when only process 0 is left.
 */
#include "dmi_api.h"

enum { PAGES = 100, PAGE = 1000 };

int32_t DMI_scaleunit(int my_rank, int pnum, int64_t at) {
  int64_t old;
  for (int64_t page = my_rank; page < PAGES; page += pnum)
    catch(DMI_fad(at + page * PAGE, page, &old, DMI_EXCLUSIVE, NULL));
  return 0;
}

static void check(int64_t at, int64_t phases) {
  for (int64_t page = 0; page < PAGES; page++) {
    int64_t value;
    catch(DMI_read(at + page * PAGE, sizeof value, &value, DMI_GET, NULL));
    if (value != page * phases) {
      outn("page %ld has %ld after %ld phases", (long)page, (long)value, (long)phases);
      error();
    }
  }
}

void DMI_main(int argc, char **argv) {
  DMI_node_t nodes[64], node;
  int64_t at, phases = 0;
  int32_t n, stay;
  (void)argc, (void)argv;
  catch(DMI_mmap(&at, PAGE, PAGES, NULL));
  outn("begins");
  do {
    catch(DMI_poll(&node));
    catch(DMI_nodes(nodes, &n, 64));
    stay = 0;
    for (int32_t i = 0; i < n; i++)
      stay += nodes[i].state != DMI_CLOSE;
    catch(DMI_rescale(at, stay, 2));
    check(at, ++phases);
    outn("process %d %s: phase on %d", node.dmi_id, node.state == DMI_OPEN ? "joins" : "leaves", stay);
  } while (stay > 1);
}
