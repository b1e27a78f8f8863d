from threading import Thread

from unveil.count.threads import limit_to_one_thread


def threads():
    from threadpoolctl import threadpool_info

    return [one["num_threads"] for one in threadpool_info() if one["user_api"] == "blas"]


def test_libraries_are_held_while_threads_come_and_go():
    with limit_to_one_thread():
        pass
    before, seen = threads(), []

    def fit():
        with limit_to_one_thread():
            seen.append(set(threads()))

    with limit_to_one_thread():
        for _ in range(2):
            other = Thread(target=fit)
            other.start()
            other.join()
            seen.append(set(threads()))
    assert seen == [{1}] * 4
    assert threads() == before
