/*
 * A matrix product C = A B by rows, as the manual of DMI has it:
 *
 *     dmimw -f node.txt -n 8 ./matmat_doc 8 4 4096
 *
 * NODES THREADS N: N is a multiple of NODES * THREADS. It prints the sum of all elements of C.
 */
#include "dmi_api.h"

typedef struct scaleunit_t
{
    int32_t n; /* size of the matrices */
    int64_t a_addr; /* matrix A */
    int64_t b_addr; /* matrix B */
    int64_t c_addr; /* matrix C */
    int64_t barrier_addr; /* barrier */
}scaleunit_t;

double sumof_matrix(double *matrix, int32_t n);

void DMI_main(int argc, char **argv)
{
    scaleunit_t scaleunit;
    int32_t n, init_node_num, thread_num, pnum;
    int64_t a_addr, b_addr, c_addr, barrier_addr, scaleunit_addr;

    if(argc != 4) {
        outn("usage : %s init_node_num thread_num n", argv[0]);
        error();
    }

    init_node_num = atoi(argv[1]); /* processes */
    thread_num = atoi(argv[2]); /* threads of each process */
    n = atoi(argv[3]); /* size of the matrices */
    pnum = init_node_num * thread_num; /* all threads */

    catch(DMI_mmap(&scaleunit_addr, sizeof(scaleunit_t), 1, NULL)); /* for the arguments of the threads */
    catch(DMI_mmap(&barrier_addr, sizeof(DMI_barrier_t), 1, NULL)); /* for the barrier */
    catch(DMI_mmap(&a_addr, n / pnum * n * sizeof(double), pnum, NULL)); /* for matrix A */
    catch(DMI_mmap(&b_addr, n * n * sizeof(double), 1, NULL)); /* for matrix B */
    catch(DMI_mmap(&c_addr, n / pnum * n * sizeof(double), pnum, NULL)); /* for matrix C */
    catch(DMI_barrier_init(barrier_addr)); /* makes the barrier */

    scaleunit.n = n;
    scaleunit.a_addr = a_addr;
    scaleunit.b_addr = b_addr;
    scaleunit.c_addr = c_addr;
    scaleunit.barrier_addr = barrier_addr;
    catch(DMI_write(scaleunit_addr, sizeof(scaleunit_t), &scaleunit, DMI_EXCLUSIVE, NULL));
        /* the arguments go to global memory */

    catch(DMI_rescale(scaleunit_addr, init_node_num, thread_num)); /* rescale */

    catch(DMI_barrier_destroy(barrier_addr)); /* ends the barrier */
    catch(DMI_munmap(c_addr, NULL));
    catch(DMI_munmap(b_addr, NULL));
    catch(DMI_munmap(a_addr, NULL));
    catch(DMI_munmap(barrier_addr, NULL));
    catch(DMI_munmap(scaleunit_addr, NULL));
    return;
}

int32_t DMI_scaleunit(int my_rank, int pnum, int64_t scaleunit_addr) /* each thread */
{
    int32_t i, j, k, n, nn;
    int64_t a_addr, b_addr, c_addr, barrier_addr;
    scaleunit_t scaleunit;
    double sum;
    double *original_a, *original_b, *original_c, *local_a, *local_b, *local_c;
    DMI_local_barrier_t *local_barrier;

    catch(DMI_read(scaleunit_addr, sizeof(scaleunit_t), &scaleunit, DMI_GET, NULL));
        /* the arguments come from global memory */
    bind_to_cpu(my_rank % PROCNUM); /* each thread has a processor of its own, which matters for the speed */

    n = scaleunit.n;
    a_addr = scaleunit.a_addr;
    b_addr = scaleunit.b_addr;
    c_addr = scaleunit.c_addr;
    barrier_addr = scaleunit.barrier_addr;
    local_barrier = (DMI_local_barrier_t*)malloc(sizeof(DMI_local_barrier_t));
    catch(DMI_local_barrier_init(local_barrier, barrier_addr));
    nn = n / pnum;
    local_a = (double*)malloc(nn * n * sizeof(double)); /* rows of A */
    local_b = (double*)malloc(n * n * sizeof(double)); /* B */
    local_c = (double*)malloc(nn * n * sizeof(double)); /* rows of C */

    for(i = 0; i < nn; i++)
        for(j = 0; j < n; j++)
            local_c[i * n + j] = 0;

    mrand_init(516);
    original_a = NULL;
    original_b = NULL;
    original_c = NULL;
    if(my_rank == 0) {
        original_a = (double*)malloc(n * n * sizeof(double));
        original_b = (double*)malloc(n * n * sizeof(double));
        original_c = (double*)malloc(n * n * sizeof(double));

        for(i = 0; i < n; i++) {
            for(j = 0; j < n; j++) {
                original_a[i * n + j] = mrand_01(); /* values of A */
                original_b[i * n + j] = mrand_01(); /* values of B */
                original_c[i * n + j] = 0; /* values of C */
            }
        }
    }

    catch(DMI_local_barrier_sync(local_barrier, pnum)); /* barrier */
    if(my_rank == 0) {
        catch(DMI_write(a_addr, n * n * sizeof(double), original_a, DMI_EXCLUSIVE, NULL));
        catch(DMI_write(b_addr, n * n * sizeof(double), original_b, DMI_EXCLUSIVE, NULL));
    }
    catch(DMI_local_barrier_sync(local_barrier, pnum)); /* barrier */
    catch(DMI_read(a_addr + my_rank * nn * n * sizeof(double), nn * n * sizeof(double),
        local_a, DMI_INVALIDATE, NULL)); /* scatters A */
    catch(DMI_read(b_addr, n * n * sizeof(double), local_b, DMI_INVALIDATE, NULL));
    /* broadcasts B */

    for(i = 0; i < nn; i++) /* the rows of C are the rows of A times B */
        for(k = 0; k < n; k++)
            for(j = 0; j < n; j++)
                local_c[i * n + j] += local_a[i * n + k] * local_b[k * n + j];

    catch(DMI_write(c_addr + my_rank * nn * n * sizeof(double), nn * n * sizeof(double),
        local_c, DMI_EXCLUSIVE, NULL));
    catch(DMI_local_barrier_sync(local_barrier, pnum));
    if(my_rank == 0) {
        catch(DMI_read(c_addr, n * n * sizeof(double), original_c, DMI_INVALIDATE, NULL));
        /* gathers C */

        sum = sumof_matrix(original_c, n);
        outn("# sum : %lf", sum);
        free(original_c);
        free(original_b);
        free(original_a);
    }

    catch(DMI_local_barrier_destroy(local_barrier));
    free(local_a);
    free(local_b);
    free(local_c);
    free(local_barrier);
    return 0;
}

double sumof_matrix(double *matrix, int32_t n)
{
    double sum;
    int32_t i, j;

    sum = 0;
    for(i = 0; i < n; i++)
      for(j = 0; j < n; j++)
        sum += matrix[i * n + j];
    return sum;
}
